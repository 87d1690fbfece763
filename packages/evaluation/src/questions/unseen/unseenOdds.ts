import { makeQuestion, type Question } from "../../question.ts"

export const unseenOdds: ReadonlyArray<Question> = [
  makeQuestion("odds-touch", "probability", {
    en: "chance btc tags 68k in the next 4h",
    ko: "비트 4시간 안에 6만8천 찍을 확률",
    ru: "шанс что биток коснется 68к за 4 часа",
    requiredCalls: [["get_probability", { coin: "BTC", horizon_min: 240, target: 68_000 }]],
    quotedValues: [["get_probability", "p_touch"]]
  }),
  makeQuestion("odds-30m", "probability", {
    en: "odds eth is green in 30 min",
    ko: "30분 뒤 이더 올라있을 확률",
    ru: "вероятность что эфир вырастет через 30 минут",
    requiredCalls: [["get_probability", { coin: "ETH", horizon_min: 30 }]],
    quotedValues: [["get_probability", "expected_move_pct"]]
  }),
  makeQuestion("odds-too-far", "probability", {
    en: "probability btc hits 100k by end of month",
    ko: "이달 말까지 비트 10만 갈 확률?",
    ru: "вероятность 100к по битку до конца месяца",
    requiredCalls: [["get_probability", { coin: "BTC", horizon_min: 1_440, target: 100_000 }]],
    quotedValues: [["get_probability", "p_touch"]],
    requiredPatterns: [
      /(?:24 ?h|a day|one day).*(?:no longer|longest|beyond|most|not)|(?:longest|beyond|at most|not)[^.]*(?:24 ?h|a day|one day)|(?:24시간|하루)[^.]*(?:까지|넘|최대)|(?:сут|24 ?ч)[^.]*(?:не|предел|больше|максимум)|(?:предел|максимум|не дальше|длиннее)[^.]*(?:сут|24 ?ч)/i
    ]
  }),
  makeQuestion("odds-below", "probability", {
    en: "whats the chance sol drops under 130 by tomorrow",
    ko: "내일까지 솔라나 130달러 깨질 확률",
    ru: "вероятность что сол упадет ниже 130 до завтра",
    requiredCalls: [["get_probability", { coin: "SOL", horizon_min: 1_440, target: 130 }]],
    quotedValues: [["get_probability", "p_touch"]]
  }),
  makeQuestion("score-history", "score", {
    en: "has btc's score improved over the last 2 days?",
    ko: "비트 점수 이틀 동안 좋아졌어?",
    ru: "как менялся скор битка за 2 дня",
    requiredCalls: [["get_score_history", { coin: "BTC", hours: 48 }]]
  }),
  makeQuestion("hit-rate-4h", "hitRate", {
    en: "how often are ur signals right on a 4h horizon",
    ko: "너네 신호 4시간 기준 적중률",
    ru: "как часто твои сигналы попадают на 4 часах",
    requiredCalls: [["get_hit_rate"]],
    quotedValues: [["get_hit_rate", "horizons.4h.hit_rate"]]
  }),
  makeQuestion("backtest-90d", "backtest", {
    en: "backtest ema 9/21 cross on eth 4h for the last 90 days",
    ko: "이더 4시간봉 ema 9/21 크로스 최근 90일 백테스트",
    ru: "бэктест ema 9/21 по эфиру на 4ч за последние 90 дней",
    requiredCalls: [["run_backtest", { coin: "ETH", tf: "4h", bars: 540 }]],
    quotedValues: [["run_backtest", "metrics.trades"]]
  }),
  makeQuestion("backtest-fees", "backtest", {
    en: "backtest macd cross on sol daily with 0.1% fees",
    ko: "솔라나 일봉 macd 교차 수수료 0.1%로 백테스트",
    ru: "бэктест пересечения macd по солане на дневке с комиссией 0.1%",
    requiredCalls: [["run_backtest", { coin: "SOL", tf: "1d", fee_bps: 10 }]],
    quotedValues: [["run_backtest", "metrics.return"]]
  }),
  makeQuestion("backtest-hodl", "backtest", {
    en: "does rsi<30 buy rsi>70 sell beat hodl on btc 1h",
    ko: "비트 1시간봉 rsi 30 매수 70 매도 전략 존버보다 나음?",
    ru: "rsi ниже 30 покупка выше 70 продажа на битке 1ч обгоняет холд?",
    requiredCalls: [["run_backtest", { coin: "BTC", tf: "1h" }]],
    quotedValues: [["run_backtest", "metrics.return"]]
  }),
  makeQuestion("signals-long", "signals", {
    en: "any open longs from ur signals rn? tp/sl?",
    ko: "지금 열려있는 롱 신호 익절 손절가까지",
    ru: "есть открытые лонги по сигналам? тейк и стоп какие",
    requiredCalls: [["get_active_signals"]],
    quotedValues: [["get_active_signals", "signals.0.entry"]]
  }),
  makeQuestion("screen-oversold", "screen", {
    en: "coins w/ rsi under 35",
    ko: "rsi 35 밑인 코인 찾아봐",
    ru: "монеты с rsi ниже 35",
    requiredCalls: [["screen_coins"]]
  }),
  makeQuestion("compare-three", "compare", {
    en: "btc vs eth vs sol which one looks strongest",
    ko: "비트 이더 솔라나 셋 중 뭐가 젤 쎄?",
    ru: "биток эфир или солана - кто сильнее",
    requiredCalls: [["compare_coins", { coins: ["BTC", "ETH", "SOL"] }]],
    quotedValues: [["compare_coins", "rows.0.score"]]
  }),
  makeQuestion("correlation-window", "correlation", {
    en: "btc eth correlation last 7 days",
    ko: "비트 이더 최근 7일 상관계수",
    ru: "корреляция битка и эфира за 7 дней",
    requiredCalls: [["get_correlation", { coins: ["BTC", "ETH"], days: 7 }]],
    quotedValues: [["get_correlation", "mean_correlation"]]
  })
]
