import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { play } from "./play.ts"

export const tools = [
  ..."create_task get_price get_score get_levels get_indicators get_derivatives get_seasonality".split(
    " "
  ),
  ..."get_funding_comparison get_latest_news get_news_sentiment get_positions get_portfolio_risk".split(" "),
  ..."get_us_market get_kr_market get_kr_stock".split(" ")
]

export const at = (time: string, hours: number) => ({ at: time, tz_offset_hours: hours })
export const every = (minutes: number) => ({ every_min: minutes })

/** Asserts that each message creates or proposes a task with the given spec and question. */
export const createsTasks = Effect.fnUntraced(function*(
  rows: ReadonlyArray<readonly [message: string, spec: unknown, prompt: string]>
) {
  for (const [question, spec, prompt] of rows) {
    const { calls, text } = yield* play({ question, tools })
    assert.deepInclude(Object(calls[0]?.arguments), { spec, prompt }, `${question}: ${text}`)
  }
})

/** Asserts that no answer creates or mentions a task, and returns the number of calls per question. */
export const mentionsNoTask = Effect.fnUntraced(function*(questions: ReadonlyArray<string>) {
  return yield* Effect.forEach(questions, (question) =>
    Effect.map(play({ question, tools }), ({ calls, text }) => {
      assert.notMatch(JSON.stringify(calls), /create_task/, question)
      assert.notMatch(
        text,
        /created nothing|limited to|만든 것은 없습니다|실행할 수는 없습니다|ничего не создал/,
        question
      )
      return calls.length
    }))
})
