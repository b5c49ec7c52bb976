"""The general tools of the `assistant` desk, in the order in which they are offered."""

from __future__ import annotations

from signoff.tools.contract import Tool


def general_tools() -> list[Tool]:
    """Calculating, time, weather, the web, programs and mail. What is heavy is imported when it is called."""
    from signoff.tools.catalog import arithmetic, mail, moments, programs, weather, web

    return [
        arithmetic.calculate,
        moments.now,
        moments.convert_time,
        weather.get_weather,
        web.fetch_url,
        programs.run_python,
        mail.send_email,
    ]
