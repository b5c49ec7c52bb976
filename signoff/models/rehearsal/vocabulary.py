"""The words behind `lexicon`: one concept a line, English words before the bar and Chinese ones behind it.

The first English word names the concept; a concept may have several lines.
"""

ACTIONS = """
refund, refunds, money back, return, send back, get back | 退款 退钱 退货 退掉 退了 退回 退还 退费 返款 退
cancel, cancellation, call off, abort, void, scrap, revoke | 取消 撤销 撤单 撤回 作废 撤掉 取消掉
change, update, modify, edit, amend, correct | 修改 更改 更新 变更 更换 换成 改成 改为
change, alter, adjust, switch, revise, replace, fix | 改到 改一下 调整 更正 订正 改 换
create, open, file, raise, log a, log an | 创建 新建 建立 登记 起草 开一个 开个 提一个
create, draft, register, set up | 提个 建一个 建个 开张 建 提交一个 新增一个 立
report_fault, report a problem, report an issue, report a fault, report a bug | 报修 报障 报故障
submit | 交上去 提上去 递上去 交掉 交出去
submit, hand in, send in, lodge | 提交 上报 递交 呈报
delete, remove, erase, discard, clear, wipe, bin | 删除 删掉 移除 清除 去掉 清空 删
delete, throw away, get rid of | 扔掉 丢掉 清掉 抹掉 抹去
book, reserve, reservation, booking | 预订 预定 预约 订个 订一个 订一间 订间 订张 定个 订 约
send, write an email, write a mail, write an e-mail | 邮件通知 写封邮件 写邮件 写一封邮件 写个邮件 发个邮件 发封邮件
send, email, mail, message, forward, text | 发送 发给 寄给 发邮件 转发 发一封 发封 发条 发个 发
notify, inform, alert, ping | 通知 告知
add, insert, append, put | 添加 增加 加入 加上 新增 加到 录入 加
set, configure, make | 设置 设定 设为 调到 调成 设成
enable, turn on, switch on, activate, put on | 开启 打开 启用 开一下 点亮 开了
disable, turn off, switch off, deactivate, put out | 关掉 停用 禁用 关上 关了 关一下 熄灭 关
transfer, move, wire, relocate | 转账 转移 转给 移动 调拨 调拨到 调配 转到 移到 调 转
pay, settle | 支付 付款 缴费 付
apply, request, ask for, take, need off | 申请 请假 请个假
reschedule, postpone, delay, push back, bring forward, put off | 改期 延期 推迟 顺延 提前 延后
approve, sign off, accept | 批准 审批 同意 通过
reject, decline, refuse, deny, turn down | 拒绝 驳回
close, shut | 关闭 结束 关单
assign, allocate, delegate | 分配 指派 派给 分派 派
buy, purchase, place an order, procure, order more | 购买 采购 下单
buy, order another, order some, order a, order new, order me | 订购 买
restock, reorder, replenish | 补货 补充 补
extend, renew, renewal, prolong | 续期 延长 续借 续费 续订 续
invite | 邀请
share | 分享 共享
upload, attach | 上传
rename | 重命名 改名
remind, reminder, reminders | 提醒 提醒事项
schedule, arrange, plan | 安排 排期
subscribe, sign up | 订阅 报名 注册
unsubscribe, opt out | 退订
lock, block, freeze, suspend | 锁定 冻结 拉黑 挂失 停机
unlock, unblock, unfreeze | 解锁 解冻 解封
reset | 重置 重设
restart, reboot, relaunch | 重启 重新启动
start, begin, launch, kick off | 启动 开始
stop, halt, terminate | 停止 终止 停掉
run, execute | 运行 执行 跑一下 跑个 跑
pause, hold | 暂停
resume, continue | 恢复 继续
write, compose | 撰写 写一份 写个 写一封 写一首 写一篇 写首 写篇 写段 写一段
publish, post, release | 发布 发表
merge | 合并
archive | 归档
withdraw | 撤诉 提现
claim, expense claim | 索赔 理赔
escalate | 升级
hand_over, hand over, talk to a human, talk to a person, talk to someone, real person | 转人工 人工客服 人工服务 真人
hand_over, speak to someone, speak to a human, speak to a person, human agent, a human | 找人工 要人工 转接人工 接人工
hand_over, live agent, customer service, speak with someone, talk with someone, an agent, an operator | 转客服 人工
hand_over, a representative, human support, human being, real human, actual human, actual person | 真人客服 活人
hand_over, live person, put me through, human help, human assistance, human colleague | 找真人 转真人 人工坐席 客服人员
take_back, take back, retract | 收回
return book, give back | 归还 还书
borrow, lend, check out | 借阅 借用 借
deliver, ship, dispatch | 发货 派送 发出 寄出
rate, review | 评价 打分
save, store, record | 保存 记录 记下
remember | 记住
forget | 忘记 忘掉 忘了 忘
install | 安装
deploy, roll out | 部署 上线
roll back, revert, undo | 回滚 还原 撤消
grant | 授权 授予 开通
adopt | 领养
print | 打印
translate | 翻译
water, irrigate | 浇水
swap, exchange | 调换 换货 兑换
"""

LOOKS = """
look, query, look up, check, show, see, view | 查询 查一下 查看 查下 看一下 看看
look, display, fetch, inspect, pull up, lookup, tell me | 看下 瞧瞧 显示 告诉我 查 看
list, enumerate, all | 列出 列表 列一下 所有 全部 有哪些 哪些 清单
search, find, look for, locate | 搜索 检索 查找 搜一下 搜 找
track, follow, trace, whereabouts | 跟踪 追踪 查件
read | 读取 阅读 读
count, how many | 统计 数一下 多少个 多少条
calculate, compute, work out, calculation, calculator | 计算 算一下 算算 算
convert, conversion | 换算 转换
compare | 比较 对比
estimate | 估算 预估
"""

THINGS = """
order, orders | 订单 单子
address | 收货地址 地址 住址
logistics, shipping, shipment, delivery, parcel, package | 物流 快递 包裹 配送 运单 运输 快件
logistics, get here, gets here, reach me, show up, turn up | 派件 送货 快递员
logistics, courier, tracking, tracking number, carrier, arrive, arrival | 到哪 到货 送到 寄到 到了 走到
status, how far | 走到哪一步 到哪一步 哪一步 哪步
status, state, progress, update on | 状态 进度 情况 进展 怎么样 咋样
policy, rule, rules, regulation, standard, guideline, guidelines, terms | 政策 规定 规则 制度 标准 条款 规范
document, documents, doc, knowledge, knowledge base, handbook, manual, faq | 文档 知识库 资料 手册 文件
ticket, tickets, issue, case | 工单 问题单 报修单 服务单
eligible, eligibility, qualify, entitled, refundable, returnable, can be returned | 资格 符合
amount, cost, price, how much, total, charge, fee, paid for | 金额 价格 多少钱 费用 总价 单价 花了 价钱
reason, why | 原因 理由 为什么 为何
priority, urgency, severity | 优先级 紧急程度
title, subject, headline | 标题 主题
description, details, detail | 描述 详情 明细
content, body | 内容 正文
message_thing, messages | 消息 信息
result, results | 结果
weather, forecast | 天气 预报 天气预报
temperature, warm, cold, hot, degrees, degree, humid | 气温 温度 几度 多少度 冷 热
rain, raining, umbrella, rainy, sunny, snow, wind, windy | 下雨 带伞 雨 晴 下雪 雨伞 刮风
city, town | 城市
location, place, where | 地点 位置 哪里 在哪 地方
room, meeting room, conference room | 会议室 房间
meeting, appointment | 会议 开会 例会
leave, vacation, time off, day off, days off, holiday, pto | 休假 假期 假 年假 请假条 调休 年休假
sick, ill | 病假 生病
personal | 事假
balance, remaining, left, remain | 余额 剩余 还剩 剩下 剩
free, available, availability, vacant | 空闲 空的 可用 有空 空着 空余 空会议室
inventory, stock, in stock | 库存 存货 现货 有货
warehouse, depot | 仓库 库房 仓
product, item, goods, sku | 商品 产品 货品 货 物料
invoice, receipt, bill | 发票 收据 账单
payment, payments | 付款记录 支付记录
account | 账户 账号 帐号
user, member | 用户 会员
customer, client | 客户 顾客
employee, staff, colleague, coworker | 员工 同事 职员
tenant, company | 租户 公司
manager, supervisor, boss | 经理 主管 领导
phone, phone number, telephone, mobile | 电话 手机号 手机 电话号码
mailbox, e-mail, inbox | 邮箱 邮件
date, day | 日期 哪天 哪一天
time, when, clock, hour | 时间 几点 什么时候 何时 时刻
duration, how long | 时长 多久 多长时间
minute, minutes | 分钟
week | 周次 星期 一周
calendar, agenda, diary | 日历 日程 行程
note, notes, memo | 笔记 备忘 备注 便签
task, todo, to-do | 任务 待办
report, weekly report | 报告 周报 报表
expense, reimbursement, expenses | 报销 开销
budget, spending, spend | 花销 支出 还能花 还可以花 还能用多少
budget, over budget, overspent, overspend | 预算 超预算 超支
project | 项目
warranty, guarantee | 保修 质保
vpn | vpn
password, passcode | 密码 口令
device, laptop, computer, equipment | 设备 电脑 笔记本
monitor, screen, display screen | 显示器 显示屏 屏幕
printer | 打印机
air conditioner, air conditioning, aircon | 空调
light, lamp, lights | 灯 灯光
flight, plane | 航班 飞机 机票
hotel, accommodation | 酒店 宾馆 住宿
train | 火车 高铁 列车
seat | 座位
restaurant, table | 餐厅 饭店 餐位
contract | 合同
subscription, membership | 订阅服务 会员资格
yuan, rmb | 元 人民币
currency, exchange rate | 汇率 货币 外币
overwriting, overwrite, replace a report, replace the report, replace an existing, replace the existing | 覆盖 盖掉
number, quantity, how many pieces | 数量 多少件 几件 编号 号码
weight | 重量
name | 姓名 名字 名称
language | 语言 语种
color, colour | 颜色
size | 尺寸 大小
high, urgent, critical, asap | 紧急 高优先级 加急 急 高
low, minor, not urgent | 不急 低优先级 低
medium, normal, moderate | 普通 一般 中等 正常
made, made sense | 想不起来 不记得 记不清 记不得
unpaid, awaiting payment | 未付款 待付款 未支付 没付 未付 没付款
paid, not been shipped, hasn't been shipped, hasn't shipped | 尚未发货 还未发货 还没发货
paid, not yet shipped, haven't shipped | 没有发货
paid, not shipped, unshipped, awaiting shipment | 已付款 已支付 待发货 未发货 没发货 还没发
in_transit, in transit, on the way, on its way | 运输中 在途 在路上 路上
in_transit, being shipped, being delivered | 正在运 正在送 正在派送
in_transit, on their way, en route, shipped | 已发货 派送中 还没到
delivered, signed for, received, signed | 已送达 已签收 签收 收到 送达
cancelled_state, canceled ones | 已取消 被取消
refunded_state, already refunded | 已退款 退款成功 退过款 退了款 退过钱
opened, open tickets, unresolved, outstanding | 未关闭 未解决
in_progress, in progress, being processed, being handled, being worked on | 进行中 处理中 正在处理
closed, resolved, finished, done, completed | 已关闭 已解决 已完成 完成
pending, waiting, awaiting | 待处理 等待 待审批 未决
draft_state, drafts | 草稿
submitted | 已提交
active | 有效 活跃
broken, damaged, faulty, defective, smashed, cracked, not working | 坏了 破损 损坏 破了 碎了 故障 摔坏
morning | 上午 早上
afternoon | 下午
evening, night | 晚上
menu, dish, food, meal | 菜单 菜品 餐 菜
book_thing, books, library | 图书 书籍 书 图书馆 藏书
author | 作者
made, human resources, human error, human rights, artificial intelligence | 人工智能 人工费 人工成本 人工湖
made, after all | 算了 关于 有关 关心 关系 相关 关键
patient, doctor, clinic | 患者 医生 门诊 挂号
student, course, class | 学生 课程 课
car, vehicle, parking | 车辆 停车 车
server, host, machine | 服务器 主机 机器
health, healthy | 健康 健康状况
service | 服务
memory, memories | 记忆 你记的 你记住的 你记下的 你记得的 你记着的
log_thing, logs | 日志
error, errors | 错误 报错
branch, repo, repository | 分支 仓储 代码库
news | 新闻
music, song, playlist | 音乐 歌曲 歌单
movie, film, ticket office | 电影
stock price, share price | 股价 股票
holiday_calendar, public holiday | 节假日 法定假日
salary, payslip, payroll | 工资 薪资 工资条
attendance | 考勤 打卡
training | 培训
visitor, guest | 访客 来宾
badge, access card | 门禁卡 工牌 门禁
asset | 资产
supplier, vendor | 供应商 厂商
quote, quotation | 报价
tax | 税
discount, coupon, promo | 优惠券 折扣 优惠
points, loyalty | 积分
distance, far | 距离 多远
route, directions | 路线
score, grade | 分数 成绩
option, options, choice, choices | 选项 候选
"""
