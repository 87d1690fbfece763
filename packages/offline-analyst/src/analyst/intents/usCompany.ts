import { type Reading, stockOf, unnamed } from "../reading/reading.ts"
import { rule } from "../reading/rule.ts"
import { text } from "../writing/text.ts"

export const symbolOf = (reading: Reading): string => stockOf(reading, "us")?.symbol ?? unnamed

export const nameOf = (reading: Reading): string => stockOf(reading, "us")?.name ?? unnamed

export const named = (reading: Reading): boolean => stockOf(reading, "us") !== undefined

export const next = [
  text("When does {name} report earnings?", "{name} 실적 발표는 언제인가요?", "Когда отчет {name}?"),
  text("What do analysts say about {name}?", "{name} 목표주가는 얼마인가요?", "Какая целевая цена у {name}?"),
  text(
    "Did insiders of {name} buy or sell?",
    "{name} 내부자 매매는 어떤가요?",
    "Покупали или продавали инсайдеры {name}?"
  ),
  text("What do options of {name} imply?", "{name} 옵션은 어떤가요?", "Что закладывают опционы {name}?")
]

/** Matches the words of requests for a quote of a stock. */
export const quote = rule(
  "stocks?|shares?|prices?|quote|how much|trading(?: at)?|doing|outlook|valuation|p/?e|market cap|buy|sell|up|down",
  "(?<!목표\\s?)주가|가격|시세|얼마|주식|전망|어때|올랐|내렸|상황|시총",
  "акци|цен|котировк|курс|сколько стоит|почем|прогноз|дела"
)
