import { assert, layer } from "@effect/vitest"
import { OfflineAnalyst } from "@tapeline/offline-analyst"
import { Effect } from "effect"
import { answersWithoutCalls, play } from "./support/play.ts"
import { at, createsTasks, every, mentionsNoTask, tools } from "./support/schedules.ts"

layer(OfflineAnalyst)("the time of a schedule", (it) => {
  it.effect("is in the named zone, also if the zone is not next to the time", () =>
    createsTasks([
      ["every day at 9:00 check BTC KST", at("09:00", 9), "check BTC"],
      ["every day at 9:00 check BTC kst", at("09:00", 9), "check BTC"],
      ["daily 9:00 BTC report KST", at("09:00", 9), "BTC report"],
      ["KST every day at 9:00 check BTC", at("09:00", 9), "check BTC"],
      ["in KST, every day at 9:00 check BTC", at("09:00", 9), "check BTC"],
      ["every day at 9:00, time zone KST, check BTC", at("09:00", 9), "check BTC"],
      ["every day at 9:00, KST, check BTC", at("09:00", 9), "check BTC"],
      ["every day at 9am check BTC please, JST", at("09:00", 9), "check BTC"],
      ["every day at 9:00 check BTC (in EST)", at("09:00", -5), "check BTC"],
      ["UTC 기준으로 매일 9시에 BTC 알려줘", at("09:00", 0), "BTC 알려줘"],
      ["UTC+2 기준으로 매일 9시에 BTC 알려줘", at("09:00", 2), "BTC 알려줘"],
      ["매일 9시에 UTC 기준으로 BTC 알려줘", at("09:00", 0), "BTC 알려줘"],
      ["UTC로 매일 9시에 비트코인 확인해줘", at("09:00", 0), "비트코인 확인해줘"],
      ["매일 오전 9시에 EST 기준으로 BTC 알려줘", at("09:00", -5), "BTC 알려줘"],
      ["매일 9시 한국 시간 기준 BTC 알려줘", at("09:00", 9), "BTC 알려줘"],
      ["по UTC каждый день в 9:00 присылай обзор BTC", at("09:00", 0), "присылай обзор BTC"],
      ["каждый день по UTC в 9:00 присылай обзор BTC", at("09:00", 0), "присылай обзор BTC"],
      ["каждый день в 9:00 присылай обзор BTC по UTC", at("09:00", 0), "присылай обзор BTC"]
    ]))

  it.effect("is asked for if an abbreviation may be a zone or a word of the question", () =>
    Effect.gen(function*() {
      yield* answersWithoutCalls(tools, [
        ["every day at 9:00 check KST BTC prices", "“KST”"],
        ["every day at 9:00 check BTC and CET", "“CET”"],
        ["every day at 9:00 check CET", "“CET”"],
        ["every day at 9:00 check BTC ET", "“ET”"],
        ["ET, every day at 9:00 check BTC", "“ET”"],
        ["매일 9시에 ET 기준으로 BTC 알려줘", "“ET 기준으로”"]
      ])
      yield* createsTasks([["every day at 9:00 send me the PST price", at("09:00", 0), "send me the PST price"]])
    }))

  it.effect("is not read into a question about repeated times", () =>
    Effect.gen(function*() {
      yield* mentionsNoTask([
        "show BTC candles every 4 hours",
        "show the funding that BTC pays every 8 hours",
        "how much does BTC move every day?",
        "how much BTC is mined every day",
        "is funding paid every 8 hours or every hour?",
        "why does BTC dump every day at 9:30",
        "which coin pumps every morning",
        "펀딩비는 8시간마다 나가?",
        "비트코인은 매일 얼마나 채굴돼?",
        "비트코인 매일 9시에 왜 떨어져?",
        "сколько биткоинов добывают каждый день",
        "почему биткоин падает каждый день в 16:30"
      ])
      yield* createsTasks([
        ["can you send me BTC news every 4 hours?", every(240), "send me BTC news?"],
        ["show me BTC candles every 4 hours", every(240), "show me BTC candles"],
        ["every 4 hours show BTC candles", every(240), "show BTC candles"],
        ["every hour tell me if BTC is above 70000", every(60), "tell me if BTC is above 70000"],
        ["매일 9시에 비트코인 확인해줄래?", at("09:00", 9), "비트코인 확인해줄래?"]
      ])
    }))

  it.effect("is in the part of the day that the message names", () =>
    createsTasks([
      ["every night at 9:00 check BTC", at("21:00", 0), "check BTC"],
      ["every evening at 9:00 check BTC", at("21:00", 0), "check BTC"],
      ["check BTC at 9:00 every evening", at("21:00", 0), "check BTC"],
      ["every evening at 21:00 check BTC", at("21:00", 0), "check BTC"],
      ["every night at 12:30 check BTC", at("00:30", 0), "check BTC"],
      ["remind me tonight at 9 to check BTC", at("21:00", 0), "check BTC"],
      ["every night at 2:00 check BTC", at("02:00", 0), "check BTC"],
      ["매일 저녁 코스피를 9시에 확인해줘", at("21:00", 9), "코스피를 확인해줘"],
      ["каждый вечер в 9:00 проверяй BTC", at("21:00", 3), "проверяй BTC"]
    ]))

  it.effect("does not come from a time in the question", () =>
    createsTasks([
      ["every morning send me BTC change since 16:00", at("09:00", 0), "send me BTC change since 16:00"],
      ["every day at 9 send me the BTC change since 16:00", at("09:00", 0), "send me the BTC change since 16:00"],
      ["every morning check if BTC RSI is at 20", at("09:00", 0), "check if BTC RSI is at 20"],
      ["every day tell me if BTC is at 12 week high", at("09:00", 0), "tell me if BTC is at 12 week high"],
      ["every day at 9:00 check the 9:30 open of NVDA", at("09:00", 0), "check the 9:30 open of NVDA"],
      ["매일 아침 16시 이후 등락률 알려줘", at("09:00", 9), "16시 이후 등락률 알려줘"],
      ["каждое утро присылай изменение BTC после 16:00", at("09:00", 3), "присылай изменение BTC после 16:00"]
    ]))

  it.effect("can be an interval in words", () =>
    createsTasks([
      ["remind me every five hours to check BTC", every(300), "check BTC"],
      ["every eight hours check BTC", every(480), "check BTC"],
      ["every 1.5 hours check BTC", every(90), "check BTC"],
      ["every 2 and a half hours check BTC", every(150), "check BTC"],
      ["every thirty minutes check BTC", every(30), "check BTC"],
      ["every couple of hours check BTC", every(120), "check BTC"],
      ["every quarter of an hour check BTC", every(15), "check BTC"],
      ["every half an hour check BTC", every(30), "check BTC"],
      ["once an hour check BTC", every(60), "check BTC"],
      ["once a day check BTC", at("09:00", 0), "check BTC"],
      ["каждые пять часов проверяй BTC", every(300), "проверяй BTC"],
      ["каждые полтора часа проверяй BTC", every(90), "проверяй BTC"],
      ["раз в день присылай биткоин", at("09:00", 3), "присылай биткоин"],
      ["раз в час проверяй биткоин", every(60), "проверяй биткоин"],
      ["일곱 시간마다 BTC 확인해줘", every(420), "BTC 확인해줘"],
      ["하루 한 번 비트코인 시황 알려줘", at("09:00", 9), "비트코인 시황 알려줘"]
    ]))

  it.effect("is read in each Korean notation", () =>
    createsTasks([
      ...Object.entries({
        "09:30": "오전 9시 반|오전 9:30|오전 아홉시 삼십분|9시반",
        "20:00": "저녁 8시|저녁 여덟 시|저녁 20시|오후 8 시|PM 8시|8시 PM",
        "12:00": "정오|낮 12시|점심 12시|오후 12시|낮 열두시",
        "00:00": "자정|밤 12시|24시|0시|새벽 12시|오전 12시|밤 열두시",
        "00:30": "자정 30분|밤12시 반|0시 30분",
        "03:00": "새벽 3시|새벽 세시|이른 새벽 3시|밤 3시",
        "23:30": "밤 11시 30분|밤 열한시 30분|밤 열한 시 반|밤 11:30|심야 11시 반",
        "13:00": "낮 1시|대낮 1시|점심 1시|13시|오후 한 시 정각",
        "08:30": "08시 30분|오전 8 시 30 분|아침 8시 반쯤",
        "19:15": "저녁 7시 15분|초저녁 7시 15분|저녁 일곱 시 십오분"
      }).flatMap(([time, texts]) =>
        texts.split("|").map((text) => [`매일 ${text}에 BTC 확인해줘`, at(time, 9), "BTC 확인해줘"] as const)
      ),
      ["매일 9시 반도체 뉴스 알려줘", at("09:00", 9), "반도체 뉴스 알려줘"],
      ["매일 오후 3시 30분봉 차트 보여줘", at("15:00", 9), "30분봉 차트 보여줘"],
      ["매일 9시 전 세계 시황 알려줘", at("09:00", 9), "전 세계 시황 알려줘"],
      ["매일 아침 16시 이후에 오른 코인 알려줘", at("09:00", 9), "16시 이후에 오른 코인 알려줘"],
      ["매일 오후 4시 장마감 후 코스피 알려줘", at("16:00", 9), "장마감 후 코스피 알려줘"],
      ["every morning send me the move after the close", at("09:00", 0), "send me the move after the close"],
      ["every day at 9:00 compare morning and evening volume", at("09:00", 0), "compare morning and evening volume"]
    ]))

  it.effect("is asked for if its words have no known hour", () =>
    Effect.gen(function*() {
      const korean =
        "25시|오전 21시|아침 12시|9시 75분|9시 5분 전|9시 전|9시 이후|9시부터|점심시간|점심 먹고|새벽|한밤중|이른 아침|" +
        "출근 전|퇴근 후|자기 전|장 마감 후|장 시작|해 뜰 때|아침 저녁|스물한시|이십일시"
      yield* answersWithoutCalls(tools, [
        ...korean.split("|").map((text) => [`매일 ${text}에 BTC 확인해줘`, "한 시각으로 읽지 못했습니다"] as const),
        ["매일 낮 코스피 알려줘", "“낮”"],
        ["every day at lunch check BTC", "“at lunch”"],
        ["every day check BTC at market open", "“at market open”"],
        ["every day after the close send me SPX", "“after the close”"],
        ["every morning and evening check BTC", "“morning and evening”"],
        ["every day at 9 and in the evening check BTC", "and in the evening”"],
        ["каждый день в обед проверяй BTC", "«в обед»"],
        ["каждое утро и вечер проверяй BTC", "«утро и вечер»"]
      ])
    }))

  it.effect("is asked for if its part of the day has no such hour", () =>
    Effect.gen(function*() {
      const times =
        "오전 21시30분|오전 21시 30분|오전 21:30|아침 13시30분|오후 24시30분|아침 16시반|저녁 세시반|25시30분|25시반|13:30 AM"
      yield* answersWithoutCalls(
        tools,
        times.split("|").map((
          time
        ) => [`매일 ${time}에 비트코인 가격 알려줘`, `“${time.toLowerCase().split(/(?<=25시)/)[0]}”`])
      )
    }))

  it.effect("is asked for if a part of the day precedes words without a known hour", () =>
    answersWithoutCalls(tools, [
      ["Every morning after lunch check BTC", "“after lunch”"],
      ["every evening before bed check BTC", "“before bed”"],
      ["매일 아침 출근 전에 BTC 확인해줘", "“출근 전”"],
      ["каждое утро перед работой проверяй BTC", "«перед работой»"]
    ]))

  it.effect("is asked for in a message for one day", () =>
    Effect.gen(function*() {
      yield* answersWithoutCalls(tools, [
        ["내일 오전 21시에 비트코인 가격 알려줘", "“오전 21시”"],
        ["내일 오전 21시30분에 비트코인 가격 알려줘", "“오전 21시30분”"],
        ["내일 25시에 비트코인 가격 알려줘", "“25시”"],
        ["내일 점심시간에 비트코인 가격 알려줘", "“점심시간”"],
        ["내일 새벽에 비트코인 가격 확인하라고 알림 보내줘", "“새벽”"],
        ["remind me tomorrow after lunch to check BTC", "“after lunch”"],
        ["remind me today after the close to check BTC", "“after the close”"],
        ["remind me tonight before bed to check BTC", "“before bed”"],
        ["напомни завтра после обеда проверить BTC", "«после обеда»"]
      ])
      const { calls: [made] } = yield* play({ question: "내일 9시에 비트코인 가격 알려줘", tools })
      assert.deepInclude(Object(made?.arguments), { spec: at("09:00", 9), prompt: "비트코인 가격 알려줘", max_runs: 1 })
      yield* mentionsNoTask([
        "오늘 새벽 비트코인 왜 떨어졌는지 알려줘",
        "오늘 16시 이후 비트코인 등락률 알려줘",
        "오늘 오전과 오후 비트코인 거래량 알려줘",
        "오늘 장 마감 후 코스피 뉴스 알려줘",
        "내일 새벽 FOMC 일정 알려줘",
        "내일 9시에 발표하는 지표 알려줘",
        "내일 비트코인 전망 알려줘"
      ])
    }))

  it.effect("can be a word, and counts in the question are not times", () =>
    createsTasks([
      ["every day at nine check BTC", at("09:00", 0), "check BTC"],
      ["매일 세시 반에 코스피 알려줘", at("03:30", 9), "코스피 알려줘"],
      ["каждый день в девять присылай обзор BTC", at("09:00", 3), "присылай обзор BTC"],
      ["매일 9시에 미국과 한국 두 시장 요약해줘", at("09:00", 9), "미국과 한국 두 시장 요약해줘"],
      ["매일 9시에 한시적 상승 코인 알려줘", at("09:00", 9), "한시적 상승 코인 알려줘"],
      ["매일 9시에 비트코인 한 시점 정리해줘", at("09:00", 9), "비트코인 한 시점 정리해줘"],
      [
        "каждый день в 9 проверяй, вырос ли объем BTC в два раза",
        at("09:00", 3),
        "проверяй, вырос ли объем BTC в два раза"
      ],
      ["каждый день в 9:00 присылай изменение BTC в час", at("09:00", 3), "присылай изменение BTC в час"],
      ["every day at 9 look at two coins", at("09:00", 0), "look at two coins"],
      ["every day 5 best performing coins", at("09:00", 0), "5 best performing coins"],
      ["every day 10 largest coins by volume", at("09:00", 0), "10 largest coins by volume"],
      ["every morning 3 key levels of BTC", at("09:00", 0), "3 key levels of BTC"],
      ["каждое утро 5 лучших монет", at("09:00", 3), "5 лучших монет"],
      [
        "every day check coins between 1 and 10 by market cap",
        at("09:00", 0),
        "check coins between 1 and 10 by market cap"
      ],
      ["every day at 9:00 check if BTC grew from 5 to 10", at("09:00", 0), "check if BTC grew from 5 to 10"]
    ]))

  it.effect("is not in a zone for words about trading hours", () =>
    createsTasks([
      ["매일 9시에 장 마감 시간 기준으로 코스피 요약해줘", at("09:00", 9), "장 마감 시간 기준으로 코스피 요약해줘"],
      ["매일 오후 4시에 마감 시간 기준 코스피 알려줘", at("16:00", 9), "마감 시간 기준 코스피 알려줘"],
      ["매일 9시에 거래 시간 기준으로 삼성전자 알려줘", at("09:00", 9), "거래 시간 기준으로 삼성전자 알려줘"],
      ["매일 9시에 정규장 시간 기준으로 코스피 알려줘", at("09:00", 9), "정규장 시간 기준으로 코스피 알려줘"]
    ]))

  it.effect("is in the zone of a place or an abbreviation with one offset all year", () =>
    Effect.gen(function*() {
      const zones = {
        Bangkok: 7,
        Doha: 3,
        Osaka: 9,
        Kolkata: 5.5,
        "Beijing time": 8,
        Singapore: 8,
        SAST: 2,
        HST: -10,
        NPT: 5.75
      }
      yield* createsTasks(
        Object.entries(zones).map(([zone, hours]) =>
          [`every day at 9:00 ${zone} check BTC`, at("09:00", hours), "check BTC"] as const
        )
      )
      yield* createsTasks([
        ["каждый день в 9:00 по бишкеку присылай BTC", at("09:00", 6), "присылай BTC"],
        ["каждый день в 9:00 по Минску присылай BTC", at("09:00", 3), "присылай BTC"],
        ["каждый день в 9:00 по Владивостоку присылай BTC", at("09:00", 10), "присылай BTC"]
      ])
    }))

  it.effect("is not in a zone for names in the question", () =>
    createsTasks(
      [
        ..."ECB update|NFT report|PMI report|AI report|ATH check|DCA|PNL report|EU report for BTC|Tesla report".split(
          "|"
        ),
        ..."London open summary of BTC|Shanghai composite summary|New York open summary|Bitcoin check".split("|")
      ].map((subject) => [`every day at 9:00 ${subject}`, at("09:00", 0), subject] as const)
    ))

  it.effect("is not read into an alert on a price", () =>
    Effect.gen(function*() {
      for (
        const question of [
          "alert me when BTC bounces on the first touch of 60000",
          "notify me when BTC goes above 70000 on the 15th",
          "비트코인이 100일만에 10만 달러 넘으면 알려줘"
        ]
      ) {
        const { text } = yield* play({ question, tools })
        assert.notMatch(text, /limited to|실행할 수는 없습니다/, question)
      }
    }))
})
