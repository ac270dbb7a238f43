"""Closing days of QuantLib's calendars from 2024 to 2030, as JSON. Days off of the week are listed too.

Ends with exit code 77 where there is no QuantLib.
"""

import json
import sys

try:
    import QuantLib as ql
except ImportError:
    sys.exit(77)

CALENDARS = {
    "AUD": ("Australia(Settlement)", ql.Australia()),
    "BRL": ("Brazil(Settlement)", ql.Brazil(ql.Brazil.Settlement)),
    "CAD": ("Canada(Settlement)", ql.Canada(ql.Canada.Settlement)),
    "CHF": ("Switzerland", ql.Switzerland()),
    "CLP": ("Chile", ql.Chile()),
    "CZK": ("CzechRepublic", ql.CzechRepublic()),
    "DKK": ("Denmark", ql.Denmark()),
    "EUR": ("TARGET", ql.TARGET()),
    "GBP": ("UnitedKingdom(Settlement)", ql.UnitedKingdom(ql.UnitedKingdom.Settlement)),
    "HKD": ("HongKong", ql.HongKong()),
    "HUF": ("Hungary", ql.Hungary()),
    "ILS": ("Israel(Settlement)", ql.Israel(ql.Israel.Settlement)),
    "INR": ("India", ql.India()),
    "ISK": ("Iceland", ql.Iceland()),
    "JPY": ("Japan", ql.Japan()),
    "KRW": ("SouthKorea(Settlement)", ql.SouthKorea(ql.SouthKorea.Settlement)),
    "MXN": ("Mexico", ql.Mexico()),
    "NOK": ("Norway", ql.Norway()),
    "NZD": ("NewZealand", ql.NewZealand()),
    "PLN": ("Poland", ql.Poland()),
    "RON": ("Romania", ql.Romania()),
    "SAR": ("SaudiArabia", ql.SaudiArabia()),
    "SEK": ("Sweden", ql.Sweden()),
    "SGD": ("Singapore", ql.Singapore()),
    "TRY": ("Turkey", ql.Turkey()),
    "USD": ("UnitedStates(FederalReserve)", ql.UnitedStates(ql.UnitedStates.FederalReserve)),
    "ZAR": ("SouthAfrica", ql.SouthAfrica()),
}

FIRST = ql.Date(1, 1, 2024)
LAST = ql.Date(31, 12, 2030)


def closing_days(calendar):
    days = (FIRST + n for n in range(LAST - FIRST + 1))
    return [day.ISO() for day in days if not calendar.isBusinessDay(day)]


print(
    json.dumps(
        {
            "version": ql.__version__,
            "calendars": {
                currency: {"name": name, "closed": closing_days(calendar)}
                for currency, (name, calendar) in CALENDARS.items()
            },
        }
    )
)
