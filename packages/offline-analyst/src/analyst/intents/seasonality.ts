import { ask, type Intent } from "../intent.ts"
import { coinOf } from "../reading/reading.ts"
import { rule } from "../reading/rule.ts"
import { text } from "../writing/text.ts"
import { wordOf } from "../writing/vocabulary.ts"
import { questions } from "./questions.ts"

const next = [questions.impliedVolatility, questions.levels, questions.probability]

const asksSeason = rule(
  "seasonal(?:ity)?|weekdays?|hour of (?:the )?day|time of (?:the )?day|(?:what|which|best|worst) (?:day|hour|time)|day of the week",
  "계절성|요일|시간대별|어느 시간대",
  "сезонност|д(?:ень|ни|нях|ням) недели|час[аы]? суток|по часам|в какой (?:день|час)|в какое время"
)

const said = {
  seasonNone: text(
    "{name} shows no hour or weekday that differs from chance over {days} days.",
    "{name}: 최근 {days}일 동안 우연과 구별되는 시간대나 요일이 없습니다.",
    "У {name} за {days} дн. ни час, ни день недели не отличаются от случайности."
  ),
  seasonSome: text(
    "{name} has {n} hours or weekdays that differ from chance over {days} days.",
    "{name}: 최근 {days}일 동안 우연과 구별되는 시간대·요일이 {n}개입니다.",
    "У {name} за {days} дн. от случайности отличаются часов или дней: {n}."
  ),
  weekday: text(
    "Best weekday {best} ({bestReturn}), worst {worst} ({worstReturn}).",
    "가장 좋은 요일 {best}({bestReturn}), 가장 나쁜 요일 {worst}({worstReturn}).",
    "Лучший день {best} ({bestReturn}), худший {worst} ({worstReturn})."
  ),
  seasonChange: text(
    "More years of data, or the same bucket standing out in two of them, would change this.",
    "더 긴 기간이나 두 해 연속 같은 구간이 두드러지면 달라집니다.",
    "Больше лет данных или тот же час в двух из них изменят вывод."
  )
}

export const seasonality: Intent = {
  name: "seasonality",
  reads: [rule("buy|strong\\w*|best|hour|day|week", "사|오르|올라|요일|시간", "день|час|растет|лучш"), asksSeason],
  spans: "own",
  asked: ({ words }) => asksSeason.test(words),
  over: ["price", "trend"],
  plan: (reading) => [ask("get_seasonality", { coin: coinOf(reading) })],
  write: (reading, found, { format, lang, say }) => {
    const name = coinOf(reading)
    const data = found.of("get_seasonality", { coin: name })
    const days = data.list("by_weekday")
      .toSorted((a, b) => (b.num("mean_return_pct") ?? 0) - (a.num("mean_return_pct") ?? 0))
    const span = format.count(data.num("days"))
    return {
      verdict: data.num("significant") === 0
        ? say(said.seasonNone, { name, days: span })
        : say(said.seasonSome, { name, days: span, n: format.count(data.num("significant")) }),
      evidence: [
        say(said.weekday, {
          best: wordOf(lang, days[0]?.str("bucket") ?? null),
          bestReturn: format.change(days[0]?.num("mean_return_pct") ?? null),
          worst: wordOf(lang, days.at(-1)?.str("bucket") ?? null),
          worstReturn: format.change(days.at(-1)?.num("mean_return_pct") ?? null)
        })
      ],
      change: say(said.seasonChange, {})
    }
  },
  next
}
