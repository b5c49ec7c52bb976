"""What people call time zones: cities, countries and abbreviations in Chinese and English."""

from __future__ import annotations

ZONES = """
Asia/Shanghai: 北京, 上海, 中国, 广州, 深圳, 杭州, 成都, 南京, 武汉, 西安, 重庆, 天津, 苏州, 厦门, 青岛, 大连, 哈尔滨
Asia/Shanghai: 沈阳, 长沙, 昆明, 拉萨, 乌鲁木齐, beijing, peking, china, prc, guangzhou, shenzhen, hangzhou, chengdu
Asia/Shanghai: nanjing, wuhan, xian, xi'an, tianjin, suzhou, xiamen, qingdao, dalian, shenyang, kunming
Asia/Shanghai: china standard
Asia/Hong_Kong: 香港, hkt
Asia/Macau: 澳门, macao
Asia/Taipei: 台北, 台湾, 高雄, taiwan
Asia/Tokyo: 东京, 日本, 大阪, 京都, 名古屋, 横滨, 札幌, 福冈, japan, osaka, kyoto, nagoya, yokohama, sapporo, fukuoka
Asia/Tokyo: jst
Asia/Seoul: 首尔, 韩国, 釜山, 汉城, korea, south korea, busan, kst
Asia/Pyongyang: 平壤, 朝鲜, north korea
Asia/Singapore: 新加坡, sgt
Asia/Kuala_Lumpur: 吉隆坡, 马来西亚, malaysia
Asia/Bangkok: 曼谷, 泰国, 清迈, 普吉, thailand, phuket, chiang mai
Asia/Ho_Chi_Minh: 胡志明市, 胡志明, 西贡, 河内, 越南, vietnam, hanoi, ho chi minh city
Asia/Jakarta: 雅加达, wib
Asia/Makassar: 巴厘岛, bali, denpasar
Asia/Manila: 马尼拉, 菲律宾, philippines
Asia/Phnom_Penh: 金边, 柬埔寨, cambodia
Asia/Yangon: 仰光, 缅甸, myanmar
Asia/Vientiane: 万象, 老挝, laos
Asia/Ulaanbaatar: 乌兰巴托, 蒙古, mongolia, ulan bator
Asia/Kolkata: 印度, 新德里, 德里, 孟买, 加尔各答, 班加罗尔, 海得拉巴, 金奈, india, new delhi, delhi, mumbai, bombay
Asia/Kolkata: bangalore, bengaluru, hyderabad, chennai
Asia/Karachi: 卡拉奇, 巴基斯坦, 伊斯兰堡, pakistan, islamabad, lahore
Asia/Dhaka: 达卡, 孟加拉国, 孟加拉, bangladesh
Asia/Colombo: 科伦坡, 斯里兰卡, sri lanka
Asia/Kathmandu: 加德满都, 尼泊尔, nepal
Asia/Thimphu: 不丹, bhutan
Asia/Kabul: 喀布尔, 阿富汗, afghanistan
Asia/Tashkent: 塔什干, 乌兹别克斯坦, uzbekistan
Asia/Almaty: 阿拉木图, 哈萨克斯坦, kazakhstan, astana
Asia/Tehran: 德黑兰, 伊朗, iran
Asia/Baghdad: 巴格达, 伊拉克, iraq
Asia/Dubai: 迪拜, 阿联酋, 阿布扎比, uae, united arab emirates, abu dhabi
Asia/Riyadh: 利雅得, 沙特, 沙特阿拉伯, saudi arabia, jeddah
Asia/Qatar: 卡塔尔, 多哈, doha
Asia/Kuwait: 科威特
Asia/Jerusalem: 耶路撒冷, 以色列, 特拉维夫, israel
Asia/Beirut: 贝鲁特, 黎巴嫩, lebanon
Asia/Tbilisi: 第比利斯, 格鲁吉亚
Asia/Yerevan: 亚美尼亚, armenia
Asia/Baku: 巴库, 阿塞拜疆, azerbaijan
Europe/Istanbul: 伊斯坦布尔, 土耳其, 安卡拉, turkey, ankara
Europe/London: 伦敦, 英国, 曼彻斯特, 爱丁堡, 剑桥, 牛津, uk, united kingdom, england, britain, great britain
Europe/London: scotland, wales, manchester, edinburgh, cambridge, oxford
Europe/Dublin: 都柏林, 爱尔兰, ireland
Europe/Lisbon: 里斯本, 葡萄牙, portugal, porto
Europe/Madrid: 马德里, 西班牙, 巴塞罗那, spain, barcelona
Europe/Paris: 巴黎, 法国, 里昂, 马赛, 尼斯, france, lyon, marseille, nice, cest
Europe/Brussels: 布鲁塞尔, 比利时, belgium
Europe/Amsterdam: 阿姆斯特丹, 荷兰, 鹿特丹, netherlands, holland, rotterdam, the hague
Europe/Luxembourg: 卢森堡
Europe/Berlin: 柏林, 德国, 慕尼黑, 法兰克福, 汉堡, 科隆, germany, munich, frankfurt, hamburg, cologne, stuttgart
Europe/Berlin: dusseldorf
Europe/Zurich: 苏黎世, 瑞士, 日内瓦, 伯尔尼, switzerland, geneva, bern, basel
Europe/Vienna: 维也纳, 奥地利, austria
Europe/Rome: 罗马, 意大利, 米兰, 威尼斯, 佛罗伦萨, italy, milan, venice, florence, naples
Europe/Athens: 雅典, 希腊, greece
Europe/Prague: 布拉格, 捷克, czechia, czech republic
Europe/Budapest: 布达佩斯, 匈牙利, hungary
Europe/Warsaw: 华沙, 波兰, poland, krakow
Europe/Copenhagen: 哥本哈根, 丹麦, denmark
Europe/Stockholm: 斯德哥尔摩, 瑞典, sweden
Europe/Oslo: 奥斯陆, 挪威, norway
Europe/Helsinki: 赫尔辛基, 芬兰, finland
Atlantic/Reykjavik: 雷克雅未克, 冰岛, iceland
Europe/Bucharest: 布加勒斯特, 罗马尼亚, romania
Europe/Sofia: 索非亚, 保加利亚, bulgaria
Europe/Belgrade: 贝尔格莱德, 塞尔维亚, serbia
Europe/Zagreb: 萨格勒布, 克罗地亚, croatia
Europe/Kyiv: 基辅, 乌克兰, ukraine, kiev
Europe/Minsk: 明斯克, 白俄罗斯, belarus
Europe/Moscow: 莫斯科, 圣彼得堡, st petersburg, saint petersburg, msk
Asia/Vladivostok: 海参崴, 符拉迪沃斯托克
Africa/Cairo: 开罗, 埃及, egypt
Africa/Johannesburg: 约翰内斯堡, 南非, 开普敦, south africa, cape town, sast
Africa/Lagos: 拉各斯, 尼日利亚, nigeria
Africa/Nairobi: 内罗毕, 肯尼亚, kenya
Africa/Addis_Ababa: 埃塞俄比亚, 亚的斯亚贝巴, ethiopia
Africa/Casablanca: 卡萨布兰卡, 摩洛哥, morocco
Africa/Algiers: 阿尔及利亚, algeria
Africa/Tunis: 突尼斯, tunisia
Africa/Accra: 加纳, 阿克拉, ghana
America/New_York: 纽约, 华盛顿, 波士顿, 费城, 亚特兰大, 迈阿密, 美东, 美国东部, 美东时间, nyc, washington
America/New_York: washington dc, washington d.c., boston, philadelphia, atlanta, miami, orlando, pittsburgh
America/New_York: charlotte, eastern, us eastern, us east coast, east coast, est, edt, et
America/Detroit: 底特律
America/Chicago: 芝加哥, 休斯顿, 达拉斯, 奥斯汀, 新奥尔良, 美中, 美国中部, houston, dallas, austin, new orleans
America/Chicago: st louis, minneapolis, nashville, us central, cdt
America/Denver: 丹佛, 盐湖城, 美国山地, 山地时间, salt lake city, mountain, us mountain, mst, mdt, mt
America/Phoenix: 凤凰城, 菲尼克斯, arizona
America/Los_Angeles: 洛杉矶, 旧金山, 西雅图, 圣地亚哥(美国), 拉斯维加斯, 硅谷, 圣何塞, 波特兰, 加州, 美西, 美国西部
America/Los_Angeles: la, sf, san francisco, seattle, san diego, las vegas, silicon valley, portland, california
America/Los_Angeles: pacific, us pacific, us west coast, west coast, pst, pdt, pt
America/Anchorage: 安克雷奇, 阿拉斯加, alaska
Pacific/Honolulu: 檀香山, 火奴鲁鲁, 夏威夷, hawaii, hst
America/Toronto: 多伦多, 渥太华, 蒙特利尔, ottawa, montreal, quebec
America/Vancouver: 温哥华, british columbia
America/Edmonton: 埃德蒙顿, 卡尔加里, calgary
America/Winnipeg: 温尼伯
America/Halifax: 哈利法克斯
America/St_Johns: 圣约翰斯, 纽芬兰, newfoundland, st. john's
America/Mexico_City: 墨西哥城
America/Panama: 巴拿马
America/Havana: 哈瓦那, 古巴, cuba
America/Bogota: 波哥大, 哥伦比亚, colombia
America/Lima: 利马, 秘鲁, peru
America/Caracas: 加拉加斯, 委内瑞拉, venezuela
America/Santiago: 圣地亚哥, 智利, chile
America/Argentina/Buenos_Aires: 布宜诺斯艾利斯, 阿根廷, argentina
America/Sao_Paulo: 圣保罗, 里约热内卢, 里约, 巴西利亚, rio de janeiro, rio, brasilia, são paulo
America/Montevideo: 蒙得维的亚, 乌拉圭, uruguay
Australia/Sydney: 悉尼, 堪培拉, canberra, aest, aedt
Australia/Melbourne: 墨尔本
Australia/Brisbane: 布里斯班
Australia/Adelaide: 阿德莱德
Australia/Perth: 珀斯, awst
Australia/Darwin: 达尔文
Pacific/Auckland: 奥克兰, 新西兰, 惠灵顿, new zealand, wellington, nzst, nzdt
Pacific/Fiji: 斐济
Pacific/Guam: 关岛
UTC: 世界时, 协调世界时, 世界协调时, 格林尼治, 格林威治, 格林尼治标准, utc, gmt, z, zulu, greenwich, greenwich mean
UTC: coordinated universal
"""
"""Lines of an IANA name and what the zone is called besides."""

AMBIGUOUS = {
    "cst": ("Asia/Shanghai", "America/Chicago"),
    "ct": ("America/Chicago", "Asia/Shanghai"),
    "central": ("America/Chicago", "Europe/Paris"),
    "ist": ("Asia/Kolkata", "Asia/Jerusalem", "Europe/Dublin"),
    "bst": ("Europe/London", "Asia/Dhaka"),
    "ast": ("America/Halifax", "Asia/Riyadh"),
    "georgia": ("Asia/Tbilisi", "America/New_York"),
    "美国": ("America/New_York", "America/Chicago", "America/Denver", "America/Los_Angeles"),
    "usa": ("America/New_York", "America/Chicago", "America/Denver", "America/Los_Angeles"),
    "us": ("America/New_York", "America/Chicago", "America/Denver", "America/Los_Angeles"),
    "united states": ("America/New_York", "America/Chicago", "America/Denver", "America/Los_Angeles"),
    "america": ("America/New_York", "America/Chicago", "America/Denver", "America/Los_Angeles"),
    "加拿大": ("America/Toronto", "America/Winnipeg", "America/Edmonton", "America/Vancouver"),
    "canada": ("America/Toronto", "America/Winnipeg", "America/Edmonton", "America/Vancouver"),
    "澳大利亚": ("Australia/Sydney", "Australia/Brisbane", "Australia/Adelaide", "Australia/Perth"),
    "澳洲": ("Australia/Sydney", "Australia/Brisbane", "Australia/Adelaide", "Australia/Perth"),
    "australia": ("Australia/Sydney", "Australia/Brisbane", "Australia/Adelaide", "Australia/Perth"),
    "俄罗斯": ("Europe/Moscow", "Asia/Yekaterinburg", "Asia/Novosibirsk", "Asia/Vladivostok"),
    "russia": ("Europe/Moscow", "Asia/Yekaterinburg", "Asia/Novosibirsk", "Asia/Vladivostok"),
    "巴西": ("America/Sao_Paulo", "America/Manaus", "America/Rio_Branco"),
    "brazil": ("America/Sao_Paulo", "America/Manaus", "America/Rio_Branco"),
    "墨西哥": ("America/Mexico_City", "America/Cancun", "America/Tijuana"),
    "mexico": ("America/Mexico_City", "America/Cancun", "America/Tijuana"),
    "印度尼西亚": ("Asia/Jakarta", "Asia/Makassar", "Asia/Jayapura"),
    "印尼": ("Asia/Jakarta", "Asia/Makassar", "Asia/Jayapura"),
    "indonesia": ("Asia/Jakarta", "Asia/Makassar", "Asia/Jayapura"),
}
"""Names that several zones have: the person must say which is meant."""
