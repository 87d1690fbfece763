import { assert, layer } from "@effect/vitest"
import { OfflineAnalyst } from "@tapeline/offline-analyst"
import { isFullRun } from "@tapeline/testing/fullRun"
import { Effect } from "effect"
import { answersWithoutCalls, play } from "./support/play.ts"
import { at, createsTasks, every, mentionsNoTask, tools } from "./support/schedules.ts"

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
  it.effect("stores a question that has the same answer without the schedule, in each language", () =>
    Effect.gen(function*() {
      for (const lang of ["ko", "ru"] as const) {
        const { questions, sentences, times } = phrases[lang]
        const expected = yield* Effect.forEach(questions, (question) => play({ question, tools }))
        for (const [i, sentence] of sentences.entries()) {
          for (const [j, [time, spec]] of times.entries()) {
            const which = (i + j) % questions.length
            const message = sentence.replace("{time}", time).replace("{question}", questions[which] ?? "")
            const { calls: [made, ...others] } = yield* play({ question: message, tools })
            assert.deepStrictEqual(others, [], message)
            assert.deepInclude(made?.arguments, { kind: "schedule", spec }, message)
            const prompt: unknown = Object(made?.arguments).prompt
            assert(typeof prompt === "string", message)
            assert.notMatch(prompt, /please|remind|(?:^| )at(?: |$)|알림|напомин|пожалуйста|\d/u, message)
            const { calls } = yield* play({ question: prompt, tools })
            assert.isAbove(calls.length, 0, message)
            assert.deepStrictEqual(calls, expected[which]?.calls, `${message}: ${prompt}`)
          }
        }
      }
    }))

  it.effect("is not created for weekdays, weeks or unsupported intervals, and the answer says so", () =>
    Effect.gen(function*() {
      yield* answersWithoutCalls(tools, [
        ["every monday at 9 check BTC", "“every monday”"],
        ["on weekdays at 9:00 send me an overview of BTC", "“on weekdays”"],
        ["remind me on monday at 9:00 to check BTC", "“monday”"],
        ["every day except sunday at 9:00 check BTC", "“except sunday”"],
        ["send me BTC news every week", "“every week”"],
        ["every 2 days at 9:00 check BTC", "“every 2 days”"],
        ["every 100 days check BTC", "“every 100 days”"],
        ["weekdays 9am BTC", "“weekdays”"],
        ["weekly at 9:00 send me BTC news", "“weekly”"],
        ["매주 월요일 9시에 BTC 확인해줘", "“매주”"],
        ["평일 아침 9시에 비트코인 시황 알려줘", "“평일”"],
        ["каждый понедельник в 9 присылай обзор BTC", "«каждый понедельник»"],
        ["по будням в 9:00 присылай обзор BTC", "«по будням»"],
        ["every 1 minute check BTC", "at least 5 minutes"],
        ["1분마다 BTC 확인해줘", "5분 이상"],
        ["каждую 1 минуту проверяй BTC", "от 5 минут"],
        ["remind me every day at 9:00", "say what I should do"],
        ["every day at 9:00 but only on fridays check BTC", "“only on fridays”"],
        ["every morning monday to friday at 9:00 check BTC", "“monday to friday”"],
        ["every day at 9:00 monday through friday check BTC", "“monday through friday”"],
        ["every day at 9:00 on the 1st check BTC", "“on the 1st”"],
        ["schedule a weekly report of BTC at 9:00", "“weekly”"],
        ["매일 9시에 금요일만 BTC 확인해줘", "“금요일만”"],
        ["월요일부터 금요일까지 매일 9시에 BTC 확인해줘", "“월요일부터 금요일까지”"],
        ["каждый день с понедельника по пятницу в 9:00 присылай обзор BTC", "«с понедельника по пятницу»"],
        ["каждый день в 9:00 только в пятницу присылай обзор BTC", "«только в пятницу»"],
        ["every hour from 9 to 18 check BTC", "“from 9 to 18”"],
        ["every day at 9 and 18 check BTC", "“at 9 and 18”"],
        ["every day at half past nine check BTC", "“at half past nine”"],
        ["every day at 9 30 check BTC", "“at 9 30”"],
        ["twice a day check BTC", "“twice a day”"],
        ["every few hours check BTC funding", "at least 5 minutes"],
        ["매일 9시와 18시에 BTC 확인해줘", "“9시와 18시”"],
        ["каждый час с 9 до 18 проверяй BTC", "«с 9 до 18»"]
      ])
      const why = yield* play({ question: "why does BTC dump every monday", tools })
      assert.notInclude(why.text, "schedule")
    }))

  it.effect("has the part of the day and the interval that the message names", () =>
    Effect.gen(function*() {
      yield* createsTasks([
        ["every evening check BTC", at("21:00", 0), "check BTC"],
        ["every night at 9 check BTC", at("21:00", 0), "check BTC"],
        ["every night at 2 check BTC", at("02:00", 0), "check BTC"],
        ["every afternoon at 3 check BTC", at("15:00", 0), "check BTC"],
        ["every day at 3:00 in the afternoon check BTC", at("15:00", 0), "check BTC"],
        ["every day at 9 p.m. check BTC", at("21:00", 0), "check BTC"],
        ["every day at 9.30am check BTC", at("09:30", 0), "check BTC"],
        [
          "every day at 9:00 send me the evening report of BTC",
          at("09:00", 0),
          "send me the evening report of BTC"
        ],
        [
          "every day at 9:00 send me the weekly outlook of BTC",
          at("09:00", 0),
          "send me the weekly outlook of BTC"
        ],
        ["every other hour check BTC", every(120), "check BTC"],
        ["every hour and a half check BTC", every(90), "check BTC"],
        ["every day at 9 check the weekend gap of BTC", at("09:00", 0), "check the weekend gap of BTC"],
        ["remind me tomorrow at 9:00 to check the weekly chart", at("09:00", 0), "check the weekly chart"],
        ["매일 저녁에 BTC 확인해줘", at("21:00", 9), "BTC 확인해줘"],
        ["저녁마다 BTC 확인해줘", at("21:00", 9), "BTC 확인해줘"],
        ["매일 밤 12시에 BTC 확인해줘", at("00:00", 9), "BTC 확인해줘"],
        ["매일 저녁 12시에 BTC 확인해줘", at("00:00", 9), "BTC 확인해줘"],
        ["매일 밤 1시에 BTC 확인해줘", at("01:00", 9), "BTC 확인해줘"],
        ["매일 오후 3시에 BTC 확인해줘", at("15:00", 9), "BTC 확인해줘"],
        ["매일 9시에 주말 시황 알려줘", at("09:00", 9), "주말 시황 알려줘"],
        ["한 시간마다 BTC 알려줘", every(60), "BTC 알려줘"],
        ["두 시간마다 BTC 알려줘", every(120), "BTC 알려줘"],
        ["세 시간마다 BTC 알려줘", every(180), "BTC 알려줘"],
        ["2시간마다 금요일 만기 BTC 옵션 확인해줘", every(120), "금요일 만기 BTC 옵션 확인해줘"],
        ["каждый вечер проверяй BTC", at("21:00", 3), "проверяй BTC"],
        ["каждый день в 3 часа дня проверяй BTC", at("15:00", 3), "проверяй BTC"],
        ["каждый день в 21.30 проверяй BTC", at("21:30", 3), "проверяй BTC"],
        [
          "каждый день в 9 присылай итоги выходных по биткоину",
          at("09:00", 3),
          "присылай итоги выходных по биткоину"
        ]
      ])
    }))

  it.effect("is not created for a question about repeated times in the past", () =>
    Effect.gen(function*() {
      const counts = yield* mentionsNoTask([
        "show me BTC price at 9:00 each day this week",
        "give me BTC volume each hour today",
        "show me the BTC return for every hour of the day",
        "show BTC performance every month this year",
        "check BTC on weekdays vs weekends",
        "이번 주 매일 9시 비트코인 가격 보여줘",
        "매주 비트코인 수익률 알려줘",
        "주말에 비트코인 사면 안 되는 이유 알려줘",
        "주말 비트코인 시황 알려줘",
        "평일 비트코인 거래량 알려줘",
        "покажи цену биткоина каждый день на этой неделе в 9:00",
        "покажи доходность биткоина по понедельникам",
        "покажи биткоин на выходных"
      ])
      assert.notInclude(counts, 0)
    }))

  it.effect.runIf(isFullRun)("is in the named zone", () =>
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
        yield* createsTasks(
          Object.entries(zones).map(([zone, hours]) =>
            [`every day at ${time} ${zone} check BTC`, at("09:00", hours), "check BTC"] as const
          )
        )
      }
    }))

  it.effect("is not created in a zone without a known offset, which the answer names", () =>
    Effect.gen(function*() {
      yield* answersWithoutCalls(tools, [
        ["every day at 9am XYZ check BTC", "“XYZ”"],
        ["check BTC every day at 9:00 XYZ", "“XYZ”"],
        ["every day at 9am ET check BTC", "“ET”"],
        ["every day at 9:00 Chicago time check BTC", "“Chicago time”"],
        ["every day at 9:00 UTC+99 check BTC", "“UTC+99”"],
        ["every day at 9:00 CET and KST check BTC", "“+1, +9”"],
        ["every day at 9:00 London check BTC", "“London”"],
        ["every day at 9:00 Paris check BTC", "“Paris”"],
        ["every day at 9:00 Kyiv check BTC", "“Kyiv”"],
        ["every day at 9:00 Eastern check BTC", "“Eastern”"],
        ["every day at 9:00 gst check BTC", "“gst”"],
        ["every day at 9:00 Boston check BTC", "“Boston”"],
        ["every day at 9:00 Springfield check BTC", "“Springfield”"],
        ["каждый день в 9:00 по Уфе присылай BTC", "«по Уфе»"],
        ["каждый день в 9:00 по уфе присылай BTC", "«по уфе»"],
        ["каждый день в 9:00 по варшаве присылай BTC", "«по варшаве»"],
        ["каждый день в 9:00 по гринвичу присылай BTC", "«по гринвичу»"],
        ["매일 9시 베트남 시간으로 BTC 확인해줘", "“베트남 시간으로”"],
        ["매일 9시 뉴욕 시간으로 비트코인 시황 알려줘", "“뉴욕 시간”"],
        ["каждый день в 9:00 по Нью-Йорку присылай обзор BTC", "«по Нью-Йорку»"]
      ])
      yield* createsTasks([
        ...["RSI check BTC", "FOMC update", "ETF report", "DXY report", "VIX check", "PNL report"].map((subject) =>
          [`every day at 9am ${subject}`, at("09:00", 0), subject] as const
        ),
        ["every day at 9am CPI, please", at("09:00", 0), "CPI"],
        ["every day at 9am OI report for BTC", at("09:00", 0), "OI report for BTC"],
        ["every day at 9am EU report for BTC", at("09:00", 0), "EU report for BTC"],
        ["every day at 9:00 send me the PST price", at("09:00", 0), "send me the PST price"],
        ["check the BST of BTC every day at 9", at("09:00", 0), "check the BST of BTC"],
        ["every day at 9:00 ETH funding", at("09:00", 0), "ETH funding"],
        ["every day at 9 korean market summary", at("09:00", 0), "korean market summary"],
        ["check BTC at 9:00 every day KST", at("09:00", 9), "check BTC"],
        ["매일 9시에 홍콩 증시 뉴스 알려줘", at("09:00", 9), "홍콩 증시 뉴스 알려줘"],
        ["каждый день в 9:00 присылай новости по индии", at("09:00", 3), "присылай новости по индии"],
        ["каждый день в 9:00 присылай обзор по корейским биржам", at("09:00", 3), "присылай обзор по корейским биржам"],
        ["каждый день в 9:00 по биткоину присылай обзор", at("09:00", 3), "по биткоину присылай обзор"]
      ])
    }))
})
