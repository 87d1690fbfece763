import { assert, layer } from "@effect/vitest"
import { OfflineAnalyst } from "@tapeline/offline-analyst"
import { Effect } from "effect"
import { play } from "./support/play.ts"

const tools = [
  ..."create_task propose_write get_price get_score get_levels get_indicators get_derivatives".split(" "),
  ..."get_funding_comparison get_latest_news get_news_sentiment get_positions get_portfolio_risk".split(" ")
]

const every = (minutes: number) => ({ every_min: minutes })
const at = (time: string, hours: number) => ({ at: time, tz_offset_hours: hours })

/** Times with their specs, sentences that have a time and a question, and questions. */
const phrases = {
  en: {
    times: [
      ["every day at 9:00", at("09:00", 0)],
      ["every day at 9 o'clock", at("09:00", 0)],
      ["each day at 9", at("09:00", 0)],
      ["every day at noon", at("12:00", 0)],
      ["every morning at 7:30am", at("07:30", 0)],
      ["daily at 21:00 KST", at("21:00", 9)],
      ["every day at 12am CEST", at("00:00", 2)],
      ["every 30 minutes", every(30)],
      ["every two hours", every(120)]
    ],
    sentences: [
      "remind me {time} to {question}",
      "please {question} {time}",
      "{time}, please {question}",
      "{time} {question}",
      "set a reminder {time} to {question}",
      "can you {question} {time}"
    ],
    questions: ["check BTC", "check my positions", "show me the funding of ETH", "send me BTC news"]
  },
  ko: {
    times: [
      ["매일 9시에", at("09:00", 9)],
      ["매일 아침 7시 반에", at("07:30", 9)],
      ["매일 저녁 9시에", at("21:00", 9)],
      ["매일 정오에", at("12:00", 9)],
      ["30분마다", every(30)],
      ["2시간마다", every(120)]
    ],
    sentences: [
      "{time} {question}해줘",
      "{time} {question}하라고 알려줘",
      "{time} {question} 알림 보내줘",
      "{time} {question} 부탁해요"
    ],
    questions: ["BTC 확인", "이더 펀딩비 확인", "내 포지션 확인", "비트코인 뉴스 요약"]
  },
  ru: {
    times: [
      ["каждый день в 9:00", at("09:00", 3)],
      ["каждый день в 9 утра", at("09:00", 3)],
      ["каждый вечер в 21:00 по мск", at("21:00", 3)],
      ["ежедневно в полдень", at("12:00", 3)],
      ["каждые 30 минут", every(30)],
      ["каждые два часа", every(120)]
    ],
    sentences: [
      "напоминай мне {time} {question}",
      "{time} напоминай {question}",
      "{time} {question}, пожалуйста",
      "пожалуйста, {question} {time}"
    ],
    questions: ["проверить BTC", "проверить фандинг эфира", "проверить мои позиции", "показать новости биткоина"]
  }
} as const

layer(OfflineAnalyst)("a schedule", (it) => {
  it.effect("stores a question that is answered as if it were asked by itself, in each language", () =>
    Effect.gen(function*() {
      for (const lang of ["en", "ko", "ru"] as const) {
        const { questions, sentences, times } = phrases[lang]
        const expected = yield* Effect.forEach(questions, (question) => play({ lang, question, tools }))
        for (const [i, sentence] of sentences.entries()) {
          for (const [j, [time, spec]] of times.entries()) {
            const which = (i + j) % questions.length
            const message = sentence.replace("{time}", time).replace("{question}", questions[which] ?? "")
            const { calls: [made, ...others] } = yield* play({ lang, question: message, tools })
            assert.deepStrictEqual(others, [], message)
            assert.deepInclude(made?.arguments, { kind: "schedule", spec }, message)
            const prompt: unknown = Object(made?.arguments).prompt
            assert(typeof prompt === "string", message)
            assert.notMatch(prompt, /please|remind|(?:^| )at(?: |$)|알림|напомин|пожалуйста|\d/u, message)
            const { calls } = yield* play({ lang, question: prompt, tools })
            assert.isAbove(calls.length, 0, message)
            assert.deepStrictEqual(calls, expected[which]?.calls, `${message}: ${prompt}`)
          }
        }
      }
    }))

  it.effect("is kept to no weekday, no week and no interval that it cannot have, and the answer says so", () =>
    Effect.gen(function*() {
      for (
        const [lang, question, says] of [
          ["en", "every monday at 9 check BTC", "“every monday”"],
          ["en", "on weekdays at 9:00 send me an overview of BTC", "“on weekdays”"],
          ["en", "remind me on monday at 9:00 to check BTC", "“monday”"],
          ["en", "every day except sunday at 9:00 check BTC", "“except sunday”"],
          ["en", "send me BTC news every week", "“every week”"],
          ["en", "every 2 days at 9:00 check BTC", "“every 2 days”"],
          ["en", "weekly at 9:00 send me BTC news", "“weekly”"],
          ["ko", "매주 월요일 9시에 BTC 확인해줘", "“매주”"],
          ["ko", "평일 아침 9시에 비트코인 시황 알려줘", "“평일”"],
          ["ru", "каждый понедельник в 9 присылай обзор BTC", "«каждый понедельник»"],
          ["ru", "по будням в 9:00 присылай обзор BTC", "«по будням»"],
          ["en", "every 1 minute check BTC", "at least 5 minutes"],
          ["ko", "1분마다 BTC 확인해줘", "5분 이상"],
          ["ru", "каждую 1 минуту проверяй BTC", "от 5 минут"],
          ["en", "remind me every day at 9:00", "say what I should do"]
        ] as const
      ) {
        const { calls, text } = yield* play({ lang, question, tools })
        assert.deepStrictEqual(calls, [], question)
        assert.include(text, says, question)
      }
      const content = "every day at 9:00 send me the weekly outlook of BTC"
      const { calls } = yield* play({ question: content, tools })
      assert.deepNestedInclude(calls[0], { "arguments.prompt": "send me the weekly outlook of BTC" })
      const why = yield* play({ question: "why does BTC dump every monday", tools })
      assert.notInclude(why.text, "schedule")
    }))

  it.effect("is in the zone that is named, and a zone without a known offset is named in the answer", () =>
    Effect.gen(function*() {
      const zones = {
        UTC: 0,
        GMT: 0,
        BST: 1,
        CET: 1,
        cet: 1,
        CEST: 2,
        MSK: 3,
        IST: 5.5,
        HKT: 8,
        SGT: 8,
        JST: 9,
        KST: 9,
        EDT: -4,
        EST: -5,
        PST: -8,
        "UTC+5:30": 5.5,
        "utc-5": -5,
        "(CET)": 1,
        "in Tokyo time": 9
      }
      for (const time of ["9:00", "9am", "9"]) {
        for (const [zone, hours] of Object.entries(zones)) {
          const question = `every day at ${time} ${zone} check BTC`
          const { calls } = yield* play({ question, tools })
          assert.deepInclude(calls[0]?.arguments, { spec: at("09:00", hours), prompt: "check BTC" }, question)
        }
      }
      for (
        const [lang, question, zone] of [
          ["en", "every day at 9am XYZ check BTC", "“XYZ”"],
          ["en", "check BTC every day at 9:00 XYZ", "“XYZ”"],
          ["en", "every day at 9am ET check BTC", "“ET”"],
          ["en", "every day at 9:00 Chicago time check BTC", "“Chicago time”"],
          ["en", "every day at 9:00 UTC+99 check BTC", "“UTC+99”"],
          ["en", "every day at 9:00 CET and KST check BTC", "“+1, +9”"],
          ["ko", "매일 9시 뉴욕 시간으로 비트코인 시황 알려줘", "“뉴욕 시간”"],
          ["ru", "каждый день в 9:00 по Нью-Йорку присылай обзор BTC", "«по Нью-Йорку»"]
        ] as const
      ) {
        const { calls, text } = yield* play({ lang, question, tools })
        assert.deepStrictEqual(calls, [], question)
        assert.include(text, zone, question)
      }
      const known = yield* play({ question: "every day at 9:00 ETH funding", tools })
      assert.deepNestedInclude(known.calls[0], { "arguments.prompt": "ETH funding" })
      const market = yield* play({ question: "every day at 9 korean market summary", tools })
      assert.deepNestedInclude(market.calls[0], { "arguments.prompt": "korean market summary" })
      const places = yield* play({ lang: "ko", question: "매일 9시에 홍콩 증시 뉴스 알려줘", tools })
      assert.deepNestedInclude(places.calls[0], { "arguments.spec": at("09:00", 9) })
    }))
})
