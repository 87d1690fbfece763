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
          ["en", "every 100 days check BTC", "“every 100 days”"],
          ["en", "weekdays 9am BTC", "“weekdays”"],
          ["en", "weekly at 9:00 send me BTC news", "“weekly”"],
          ["ko", "매주 월요일 9시에 BTC 확인해줘", "“매주”"],
          ["ko", "평일 아침 9시에 비트코인 시황 알려줘", "“평일”"],
          ["ru", "каждый понедельник в 9 присылай обзор BTC", "«каждый понедельник»"],
          ["ru", "по будням в 9:00 присылай обзор BTC", "«по будням»"],
          ["en", "every 1 minute check BTC", "at least 5 minutes"],
          ["ko", "1분마다 BTC 확인해줘", "5분 이상"],
          ["ru", "каждую 1 минуту проверяй BTC", "от 5 минут"],
          ["en", "remind me every day at 9:00", "say what I should do"],
          ["en", "every day at 9:00 but only on fridays check BTC", "“only on fridays”"],
          ["en", "every morning monday to friday at 9:00 check BTC", "“monday to friday”"],
          ["en", "every day at 9:00 monday through friday check BTC", "“monday through friday”"],
          ["en", "every day at 9:00 on the 1st check BTC", "“on the 1st”"],
          ["en", "schedule a weekly report of BTC at 9:00", "“weekly”"],
          ["ko", "매일 9시에 금요일만 BTC 확인해줘", "“금요일만”"],
          ["ko", "월요일부터 금요일까지 매일 9시에 BTC 확인해줘", "“월요일부터 금요일까지”"],
          ["ru", "каждый день с понедельника по пятницу в 9:00 присылай обзор BTC", "«с понедельника по пятницу»"],
          ["ru", "каждый день в 9:00 только в пятницу присылай обзор BTC", "«только в пятницу»"],
          ["en", "every hour from 9 to 18 check BTC", "“from 9 to 18”"],
          ["en", "every day at 9 and 18 check BTC", "“at 9 and 18”"],
          ["en", "every day at half past nine check BTC", "“at half past nine”"],
          ["en", "every day at 9 30 check BTC", "“at 9 30”"],
          ["en", "twice a day check BTC", "“twice a day”"],
          ["en", "every few hours check BTC funding", "at least 5 minutes"],
          ["ko", "매일 9시와 18시에 BTC 확인해줘", "“9시와 18시”"],
          ["ru", "каждый час с 9 до 18 проверяй BTC", "«с 9 до 18»"]
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

  it.effect("is at the part of the day and at the interval that the message names", () =>
    Effect.gen(function*() {
      for (
        const [lang, question, spec, prompt] of [
          ["en", "every evening check BTC", at("21:00", 0), "check BTC"],
          ["en", "every night at 9 check BTC", at("21:00", 0), "check BTC"],
          ["en", "every night at 2 check BTC", at("02:00", 0), "check BTC"],
          ["en", "every afternoon at 3 check BTC", at("15:00", 0), "check BTC"],
          ["en", "every day at 3:00 in the afternoon check BTC", at("15:00", 0), "check BTC"],
          ["en", "every day at 9 p.m. check BTC", at("21:00", 0), "check BTC"],
          ["en", "every day at 9.30am check BTC", at("09:30", 0), "check BTC"],
          [
            "en",
            "every day at 9:00 send me the evening report of BTC",
            at("09:00", 0),
            "send me the evening report of BTC"
          ],
          ["en", "every other hour check BTC", every(120), "check BTC"],
          ["en", "every hour and a half check BTC", every(90), "check BTC"],
          ["en", "every day at 9 check the weekend gap of BTC", at("09:00", 0), "check the weekend gap of BTC"],
          ["ko", "매일 저녁에 BTC 확인해줘", at("21:00", 9), "BTC 확인해줘"],
          ["ko", "저녁마다 BTC 확인해줘", at("21:00", 9), "BTC 확인해줘"],
          ["ko", "매일 밤 12시에 BTC 확인해줘", at("00:00", 9), "BTC 확인해줘"],
          ["ko", "매일 저녁 12시에 BTC 확인해줘", at("00:00", 9), "BTC 확인해줘"],
          ["ko", "매일 밤 1시에 BTC 확인해줘", at("01:00", 9), "BTC 확인해줘"],
          ["ko", "매일 오후 3시에 BTC 확인해줘", at("15:00", 9), "BTC 확인해줘"],
          ["ko", "매일 9시에 주말 시황 알려줘", at("09:00", 9), "주말 시황 알려줘"],
          ["ko", "한 시간마다 BTC 알려줘", every(60), "BTC 알려줘"],
          ["ko", "두 시간마다 BTC 알려줘", every(120), "BTC 알려줘"],
          ["ko", "세 시간마다 BTC 알려줘", every(180), "BTC 알려줘"],
          ["ko", "2시간마다 금요일 만기 BTC 옵션 확인해줘", every(120), "금요일 만기 BTC 옵션 확인해줘"],
          ["ru", "каждый вечер проверяй BTC", at("21:00", 3), "проверяй BTC"],
          ["ru", "каждый день в 3 часа дня проверяй BTC", at("15:00", 3), "проверяй BTC"],
          ["ru", "каждый день в 21.30 проверяй BTC", at("21:30", 3), "проверяй BTC"],
          [
            "ru",
            "каждый день в 9 присылай итоги выходных по биткоину",
            at("09:00", 3),
            "присылай итоги выходных по биткоину"
          ]
        ] as const
      ) {
        const { calls } = yield* play({ lang, question, tools })
        assert.deepInclude(calls[0]?.arguments, { spec, prompt }, question)
      }
      const [once] = (yield* play({ question: "remind me tomorrow at 9:00 to check the weekly chart", tools })).calls
      assert.deepNestedInclude(once?.arguments, { "arguments.prompt": "check the weekly chart" })
    }))

  it.effect("is not created for a question about repeated times in the past", () =>
    Effect.gen(function*() {
      for (
        const [lang, question] of [
          ["en", "show me BTC price at 9:00 each day this week"],
          ["en", "give me BTC volume each hour today"],
          ["en", "show me the BTC return for every hour of the day"],
          ["en", "show BTC performance every month this year"],
          ["en", "check BTC on weekdays vs weekends"],
          ["ko", "이번 주 매일 9시 비트코인 가격 보여줘"],
          ["ko", "매주 비트코인 수익률 알려줘"],
          ["ko", "주말에 비트코인 사면 안 되는 이유 알려줘"],
          ["ko", "주말 비트코인 시황 알려줘"],
          ["ko", "평일 비트코인 거래량 알려줘"],
          ["ru", "покажи цену биткоина каждый день на этой неделе в 9:00"],
          ["ru", "покажи доходность биткоина по понедельникам"],
          ["ru", "покажи биткоин на выходных"]
        ] as const
      ) {
        const { calls, text } = yield* play({ lang, question, tools: [...tools, "get_seasonality"] })
        assert.isAbove(calls.length, 0, question)
        assert.notMatch(JSON.stringify(calls), /create_task|propose_write/, question)
        assert.notMatch(text, /created nothing|만든 것은 없습니다|ничего не создал/, question)
      }
    }))

  it.effect("is in the zone that is named", () =>
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
        "UTC−5": -5,
        "UTC–5": -5,
        "+03:00": 3,
        "-05:00": -5,
        "in Tokyo time": 9
      }
      for (const time of ["9:00", "9am", "9"]) {
        for (const [zone, hours] of Object.entries(zones)) {
          const question = `every day at ${time} ${zone} check BTC`
          const { calls } = yield* play({ question, tools })
          assert.deepInclude(calls[0]?.arguments, { spec: at("09:00", hours), prompt: "check BTC" }, question)
        }
      }
    }))

  it.effect("is not created in a zone without a known offset, which the answer names", () =>
    Effect.gen(function*() {
      for (
        const [lang, question, zone] of [
          ["en", "every day at 9am XYZ check BTC", "“XYZ”"],
          ["en", "check BTC every day at 9:00 XYZ", "“XYZ”"],
          ["en", "every day at 9am ET check BTC", "“ET”"],
          ["en", "every day at 9:00 Chicago time check BTC", "“Chicago time”"],
          ["en", "every day at 9:00 UTC+99 check BTC", "“UTC+99”"],
          ["en", "every day at 9:00 CET and KST check BTC", "“+1, +9”"],
          ["en", "every day at 9:00 London check BTC", "“London”"],
          ["en", "every day at 9:00 Paris check BTC", "“Paris”"],
          ["en", "every day at 9:00 Kyiv check BTC", "“Kyiv”"],
          ["en", "every day at 9:00 Eastern check BTC", "“Eastern”"],
          ["en", "every day at 9:00 gst check BTC", "“gst”"],
          ["en", "every day at 9:00 Boston check BTC", "“Boston”"],
          ["en", "every day at 9:00 Springfield check BTC", "“Springfield”"],
          ["ru", "каждый день в 9:00 по Уфе присылай BTC", "«по Уфе»"],
          ["ru", "каждый день в 9:00 по уфе присылай BTC", "«по уфе»"],
          ["ru", "каждый день в 9:00 по варшаве присылай BTC", "«по варшаве»"],
          ["ru", "каждый день в 9:00 по гринвичу присылай BTC", "«по гринвичу»"],
          ["ko", "매일 9시 베트남 시간으로 BTC 확인해줘", "“베트남 시간으로”"],
          ["ko", "매일 9시 뉴욕 시간으로 비트코인 시황 알려줘", "“뉴욕 시간”"],
          ["ru", "каждый день в 9:00 по Нью-Йорку присылай обзор BTC", "«по Нью-Йорку»"]
        ] as const
      ) {
        const { calls, text } = yield* play({ lang, question, tools })
        assert.deepStrictEqual(calls, [], question)
        assert.include(text, zone, question)
      }
      for (
        const [lang, question, prompt] of [
          ...["RSI check BTC", "FOMC update", "ETF report", "DXY report", "VIX check", "PNL report"].map((subject) =>
            ["en", `every day at 9am ${subject}`, subject] as const
          ),
          ["en", "every day at 9am CPI, please", "CPI"],
          ["en", "every day at 9am OI report for BTC", "OI report for BTC"],
          ["en", "every day at 9am EU report for BTC", "EU report for BTC"],
          ["en", "every day at 9:00 send me the PST price", "send me the PST price"],
          ["en", "check the BST of BTC every day at 9", "check the BST of BTC"],
          ["ru", "каждый день в 9:00 присылай новости по индии", "присылай новости по индии"],
          ["ru", "каждый день в 9:00 присылай обзор по корейским биржам", "присылай обзор по корейским биржам"],
          ["ru", "каждый день в 9:00 по биткоину присылай обзор", "по биткоину присылай обзор"]
        ] as const
      ) {
        const { calls } = yield* play({ lang, question, tools })
        assert.deepInclude(calls[0]?.arguments, { spec: at("09:00", lang === "ru" ? 3 : 0), prompt }, question)
      }
      const after = yield* play({ question: "check BTC at 9:00 every day KST", tools })
      assert.deepInclude(after.calls[0]?.arguments, { spec: at("09:00", 9), prompt: "check BTC" })
      const known = yield* play({ question: "every day at 9:00 ETH funding", tools })
      assert.deepNestedInclude(known.calls[0], { "arguments.prompt": "ETH funding" })
      const market = yield* play({ question: "every day at 9 korean market summary", tools })
      assert.deepNestedInclude(market.calls[0], { "arguments.prompt": "korean market summary" })
      const places = yield* play({ lang: "ko", question: "매일 9시에 홍콩 증시 뉴스 알려줘", tools })
      assert.deepNestedInclude(places.calls[0], { "arguments.spec": at("09:00", 9) })
    }))
})
