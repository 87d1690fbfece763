import { makeQuestion, type Question } from "../../question.ts"

export const unseenMarkets: ReadonlyArray<Question> = [
  makeQuestion("correlation-nasdaq", "correlation", {
    en: "correlation of btc with nasdaq?",
    ko: "비트랑 나스닥 상관관계 어때",
    ru: "корреляция битка с насдаком?",
    forbiddenTools: ["get_correlation"],
    requiredPatterns: [
      /nasdaq|나스닥|насдак/i,
      /coins only|only coins|only between coins|코인(?:끼리| 사이| 간)|только (?:между )?монет/i
    ]
  }),
  makeQuestion("spx-vix", "usMarket", {
    en: "spx and vix rn",
    ko: "지금 s&p랑 빅스 얼마",
    ru: "что по сипи и виксу",
    requiredCalls: [["get_us_market"]],
    quotedValues: [["get_us_market", "vix.value"], ["get_us_market", "indices.0.value"]]
  }),
  makeQuestion("share-rsi", "usStock", {
    en: "rsi on nvda daily?",
    ko: "엔비디아 일봉 rsi 몇",
    ru: "какой rsi у нвидии на дневке",
    forbiddenTools: ["get_indicators"],
    requiredPatterns: [/RSI(?: ?\(14\))?\D{0,24}\d{2}/, /NVDA|NVIDIA|엔비디아/]
  }),
  makeQuestion("two-shares", "usStock", {
    en: "compare aapl and msft p/e",
    ko: "애플 마소 per 비교",
    ru: "сравни p/e эпл и майкрософта",
    requiredCalls: [["get_us_stock", { symbol: "AAPL" }], ["get_us_stock", { symbol: "MSFT" }]],
    quotedValues: [["get_us_stock", "pe"]]
  }),
  makeQuestion("earnings-move", "usEarnings", {
    en: "when does tesla report n whats the implied move",
    ko: "테슬라 실적 언제고 예상 변동폭은",
    ru: "когда отчет теслы и какой ожидается ход",
    requiredCalls: [["get_us_earnings", { symbol: "TSLA" }]],
    quotedValues: [["get_us_earnings", "implied_move_pct"]]
  }),
  makeQuestion("targets", "usRatings", {
    en: "street target for pltr",
    ko: "팔란티어 목표주가 컨센",
    ru: "таргет аналитиков по палантиру",
    requiredCalls: [["get_us_analyst_ratings", { symbol: "PLTR" }]],
    quotedValues: [["get_us_analyst_ratings", "target.mean"]]
  }),
  makeQuestion("samsung", "krStock", {
    en: "samsung electronics share price",
    ko: "삼전 지금 얼마",
    ru: "почем акции самсунга",
    requiredCalls: [["get_kr_stock", { symbol: "005930" }]],
    quotedValues: [["get_kr_stock", "price_krw"]]
  }),
  makeQuestion("hynix-flows", "krFlows", {
    en: "are foreigners buying sk hynix",
    ko: "하닉 외인 수급 어때",
    ru: "иностранцы покупают sk hynix?",
    requiredCalls: [["get_kr_investor_flows", { symbol: "000660" }]],
    quotedValues: [["get_kr_investor_flows", "totals.foreign"]]
  }),
  makeQuestion("kimchi-scan", "kimchi", {
    en: "which coins have the highest kimchi premium",
    ko: "김프 제일 높은 코인 뭐임",
    ru: "у каких монет самая большая кимчи-премия",
    requiredCalls: [["get_kimchi_premium", { scan_all: true }]],
    quotedValues: [["get_kimchi_premium", "rows.0.premium_pct"]]
  }),
  makeQuestion("kimchi-upbit", "kimchi", {
    en: "btc kimp and upbit price",
    ko: "업비트 비트 가격이랑 김프",
    ru: "кимчи премия битка и цена на апбите",
    requiredCalls: [["get_kimchi_premium", { coin: "BTC" }]],
    quotedValues: [["get_kimchi_premium", "rows.0.premium_pct"], ["get_kimchi_premium", "rows.0.krw_price"]]
  }),
  makeQuestion("usd-krw", "krMarket", {
    en: "usd/krw?",
    ko: "환율 지금 얼마",
    ru: "курс доллара к воне",
    requiredCalls: [["get_kr_market"]],
    quotedValues: [["get_kr_market", "usd_krw.rate"]]
  }),
  makeQuestion("cpi", "calendar", {
    en: "when's next us cpi",
    ko: "미국 cpi 언제 나와",
    ru: "когда выходит cpi сша",
    requiredCalls: [["get_economic_calendar", { country: "US" }]],
    requiredPatterns: [/CPI/]
  }),
  makeQuestion("ten-year", "yieldCurve", {
    en: "us 10y and is the curve inverted",
    ko: "미국 10년물 금리랑 장단기 역전 여부",
    ru: "доходность 10-леток сша и инвертирована ли кривая",
    requiredCalls: [["get_yield_curve", { country: "US" }]],
    quotedValues: [["get_yield_curve", "spread_10y_2y_bps"]]
  }),
  makeQuestion("stables-30d", "stablecoins", {
    en: "stablecoin supply change over 30d",
    ko: "스테이블 공급량 30일 변화",
    ru: "как изменилась эмиссия стейблов за 30 дней",
    requiredCalls: [["get_stablecoin_flows", { days: 30 }]],
    quotedValues: [["get_stablecoin_flows", "change_pct"]]
  }),
  makeQuestion("news-topic", "news", {
    en: "any news on etf inflows",
    ko: "etf 자금 유입 관련 뉴스 있어?",
    ru: "есть новости про притоки в etf?",
    requiredCalls: [["search_news"]]
  }),
  makeQuestion("news-sentiment", "news", {
    en: "news sentiment on eth last 24h",
    ko: "이더 24시간 뉴스 심리 어때",
    ru: "тональность новостей по эфиру за сутки",
    requiredCalls: [["get_news_sentiment", { coin: "ETH", hours: 24 }]],
    quotedValues: [["get_news_sentiment", "sentiment"]]
  }),
  makeQuestion("bots", "social", {
    en: "is the pepe hype organic or bots",
    ko: "페페 언급 진짜야 봇이야",
    ru: "хайп вокруг пепе настоящий или боты",
    requiredCalls: [["get_authenticity", { coin: "PEPE" }]]
  }),
  makeQuestion("pools", "token", {
    en: "deepest dex pool for pepe",
    ko: "페페 유동성 제일 큰 dex 풀",
    ru: "самый ликвидный пул пепе на dex",
    requiredCalls: [["get_dex_pools", { coin: "PEPE" }]],
    quotedValues: [["get_dex_pools", "pools.0.liquidity_usd"]]
  })
]
