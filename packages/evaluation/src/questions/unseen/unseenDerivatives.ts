import { makeQuestion, type Question } from "../../question.ts"

export const unseenDerivatives: ReadonlyArray<Question> = [
  makeQuestion("crowded-longs", "funding", {
    en: "are longs too crowded on btc?",
    ko: "비트 롱 너무 쏠린거 아님?",
    ru: "не перегружены ли лонги по битку?",
    requiredCalls: [["get_derivatives", { coin: "BTC" }]],
    quotedValues: [["get_derivatives", "funding_rate_pct"], ["get_derivatives", "long_short_ratio"]]
  }),
  makeQuestion("long-short", "openInterest", {
    en: "eth l/s ratio",
    ko: "이더 롱숏 비율",
    ru: "соотношение лонг/шорт по эфиру",
    requiredCalls: [["get_derivatives", { coin: "ETH" }]],
    quotedValues: [["get_derivatives", "long_short_ratio"]]
  }),
  makeQuestion("takers", "openInterest", {
    en: "taker buy vs sell on sol perps",
    ko: "솔라나 테이커 매수 매도 비율 어떰",
    ru: "тейкеры по солане покупают или продают",
    requiredCalls: [["get_derivatives", { coin: "SOL" }]],
    quotedValues: [["get_derivatives", "taker_buy_ratio"]]
  }),
  makeQuestion("funding-venue", "funding", {
    en: "which exchange has the cheapest funding to long xrp",
    ko: "리플 롱 잡기에 펀비 제일 싼 거래소 어디",
    ru: "где дешевле всего фандинг для лонга по xrp",
    requiredCalls: [["get_funding_comparison", { coin: "XRP" }]],
    quotedValues: [["get_funding_comparison", "spread_annualised_pct"]]
  }),
  makeQuestion("funding-mixed", "funding", {
    en: "btc funding 지금 몇 %? high?",
    ko: "BTC funding rate 지금 high해?",
    ru: "btc funding rate сейчас high или норм",
    requiredCalls: [["get_derivatives", { coin: "BTC" }]],
    quotedValues: [["get_derivatives", "funding_rate_pct"]]
  }),
  makeQuestion("oi-day", "openInterest", {
    en: "did btc oi go up today",
    ko: "비트 미결제 오늘 늘었음?",
    ru: "вырос ли ои по битку за сутки",
    requiredCalls: [["get_derivatives", { coin: "BTC" }]],
    quotedValues: [["get_derivatives", "oi_change_24h_coin_pct"]]
  }),
  makeQuestion("liq-above", "liquidations", {
    en: "where are the liq clusters above btc price",
    ko: "비트 위쪽 청산 물량 어디 몰려있음",
    ru: "где скопления ликвидаций выше цены битка",
    requiredCalls: [["get_liquidation_map", { coin: "BTC" }]],
    quotedValues: [["get_liquidation_map", "nearest_above.price"]]
  }),
  makeQuestion("liq-hour", "liquidations", {
    en: "how much got rekt on eth last hr",
    ko: "이더 최근 1시간 청산 얼마나 나옴",
    ru: "сколько ликвиднули по эфиру за час",
    requiredCalls: [["get_liquidations", { coin: "ETH" }]],
    quotedValues: [["get_liquidations", "long_usd"], ["get_liquidations", "short_usd"]]
  }),
  makeQuestion("chart-and-funding", "chart", {
    en: "chart of eth 1h and whats funding",
    ko: "이더 1시간봉 차트 띄우고 펀비도",
    ru: "нарисуй часовик эфира и скажи фандинг",
    requiredCalls: [["make_chart", { coin: "ETH", tf: "1h" }], ["get_derivatives", { coin: "ETH" }]],
    quotedValues: [["get_derivatives", "funding_rate_pct"]]
  }),
  makeQuestion("chart-rsi", "chart", {
    en: "plot doge daily w/ rsi",
    ko: "도지 일봉 차트 rsi 넣어서",
    ru: "график доги дневка с rsi",
    requiredCalls: [["make_chart", { coin: "DOGE", tf: "1d", panels: ["rsi"] }]]
  }),
  makeQuestion("max-pain-week", "optionsPositioning", {
    en: "btc max pain for this week's expiry",
    ko: "이번주 만기 비트 맥스페인",
    ru: "макс пейн по битку на экспирацию этой недели",
    requiredCalls: [["get_options_positioning", { coin: "BTC" }]],
    requiredPatterns: [/11-2[1-7]|Nov(?:ember)? 2[1-7]|2[1-7] Nov|11월 2[1-7]일|2[1-7] ноя/],
    forbiddenPatterns: [/2026-12|2027/]
  }),
  makeQuestion("max-pain-december", "optionsPositioning", {
    en: "max pain eth 25 dec expiry",
    ko: "이더 12월 25일 만기 맥스페인",
    ru: "макспейн по эфиру на 25 декабря",
    requiredCalls: [["get_options_positioning", { coin: "ETH", expiry: "2026-12-25" }]],
    quotedValues: [["get_options_positioning", "max_pain.0.strike"]]
  }),
  makeQuestion("iv-vs-rv", "impliedVolatility", {
    en: "is btc iv rich vs realized",
    ko: "비트 내재변동성이 실현변동성보다 비싸?",
    ru: "IV битка дороже реализованной?",
    requiredCalls: [["get_iv_metrics", { coin: "BTC" }]],
    quotedValues: [["get_iv_metrics", "iv_minus_rv"]]
  }),
  makeQuestion("skew", "impliedVolatility", {
    en: "eth 25d skew",
    ko: "이더 25델타 스큐",
    ru: "скью 25 дельта по эфиру",
    requiredCalls: [["get_iv_metrics", { coin: "ETH" }]],
    quotedValues: [["get_iv_metrics", "skew_25d"]]
  }),
  makeQuestion("dealer-gamma", "optionsPositioning", {
    en: "are dealers long or short gamma on btc",
    ko: "비트 딜러들 롱감마야 숏감마야",
    ru: "дилеры в лонг или шорт гамме по битку",
    requiredCalls: [["get_options_positioning", { coin: "BTC" }]],
    quotedValues: [["get_options_positioning", "gex_usd_per_1pct"]]
  }),
  makeQuestion("basis-december", "basis", {
    en: "annualized basis on btc dec futures",
    ko: "비트 12월 선물 연환산 베이시스",
    ru: "годовой базис по декабрьским фьючам битка",
    requiredCalls: [["get_basis", { coin: "BTC" }]],
    requiredPatterns: [/25DEC26|12-25|Dec|12월|дек/]
  })
]
