import { makeQuestion, type Question } from "../question.ts"

export const markets: ReadonlyArray<Question> = [
  makeQuestion("overview", "overview", {
    en: "How's the crypto market today?",
    ko: "오늘 코인 시장 어때?",
    ru: "Как сегодня крипторынок?",
    requiredCalls: [["get_market_overview"], ["get_regime"]],
    quotedValues: [["get_market_overview", "breadth.advancing"], ["get_fear_greed", "value"]]
  }),
  makeQuestion("fear-greed", "fearGreed", {
    en: "What's the fear and greed index?",
    ko: "공포탐욕지수 몇이야?",
    ru: "Какой индекс страха и жадности?",
    requiredCalls: [["get_fear_greed"]],
    quotedValues: [["get_fear_greed", "value"]]
  }),
  makeQuestion("movers", "movers", {
    en: "What moved most today?",
    ko: "오늘 가장 많이 오른 종목은?",
    ru: "Что сегодня двигалось сильнее всего?",
    requiredCalls: [["get_movers"]],
    quotedValues: [["get_movers", "gainers.0.change_pct"], ["get_movers", "losers.0.change_pct"]]
  }),
  makeQuestion("dominance", "dominance", {
    en: "What is bitcoin dominance, is it altseason?",
    ko: "비트코인 도미넌스 얼마야? 알트시즌이야?",
    ru: "Какая доминация биткоина, это альтсезон?",
    requiredCalls: [["get_dominance"]],
    quotedValues: [["get_dominance", "btc_pct"], ["get_dominance", "altseason_index"]]
  }),
  makeQuestion("screen-rsi", "screen", {
    en: "Which coins have RSI below 50?",
    ko: "RSI 50 아래인 코인은 뭐야?",
    ru: "У каких монет RSI ниже 50?",
    requiredCalls: [["screen_coins"]],
    quotedValues: [["screen_coins", "matched"], ["screen_coins", "matches.0.rsi"]]
  }),
  makeQuestion("kimchi-btc", "kimchi", {
    en: "What's the kimchi premium on BTC?",
    ko: "비트코인 김프 얼마야?",
    ru: "Какая кимчи-премия по биткоину?",
    requiredCalls: [["get_kimchi_premium", { coin: "BTC" }]],
    quotedValues: [["get_kimchi_premium", "rows.0.premium_pct"]]
  }),
  makeQuestion("kr-listings", "krListings", {
    en: "Any new listings on Upbit?",
    ko: "업비트 신규 상장 코인 있어?",
    ru: "Какие новые листинги на Upbit?",
    requiredCalls: [["get_kr_listings"]],
    quotedValues: [["get_kr_listings", "listings.0.premium_now_pct"]]
  }),
  makeQuestion("kr-market", "krMarket", {
    en: "How is the KOSPI doing?",
    ko: "코스피 오늘 어때?",
    ru: "Как дела у KOSPI?",
    requiredCalls: [["get_kr_market"]],
    quotedValues: [["get_kr_market", "kospi.value"], ["get_kr_market", "foreign_net_krw"]]
  }),
  makeQuestion("kr-stock", "krStock", {
    en: "How is Samsung Electronics stock?",
    ko: "삼성전자 주가 어때?",
    ru: "Как акции Самсунга?",
    requiredCalls: [["get_kr_stock", { symbol: "005930" }]],
    quotedValues: [["get_kr_stock", "price_krw"], ["get_kr_stock", "change_pct"]]
  }),
  makeQuestion("kr-flows", "krFlows", {
    en: "Are foreigners buying SK hynix?",
    ko: "외국인이 하이닉스 사고 있어?",
    ru: "Покупают ли иностранцы акции Хайникс?",
    requiredCalls: [["get_kr_investor_flows", { symbol: "000660" }]],
    quotedValues: [["get_kr_investor_flows", "totals.foreign"]]
  }),
  makeQuestion("kr-filings", "krFilings", {
    en: "Recent disclosures of Samsung Electronics?",
    ko: "삼성전자 최근 공시 알려줘",
    ru: "Какие последние раскрытия у Самсунга?",
    requiredCalls: [["get_kr_disclosures", { symbol: "005930" }]]
  }),
  makeQuestion("us-market", "usMarket", {
    en: "How are US stocks today? And the VIX?",
    ko: "미국 증시 오늘 어때? VIX는?",
    ru: "Как сегодня американский рынок акций и VIX?",
    requiredCalls: [["get_us_market"]],
    quotedValues: [["get_us_market", "indices.0.value"], ["get_us_market", "vix.value"]]
  }),
  makeQuestion("us-stock", "usStock", {
    en: "How is Tesla doing?",
    ko: "테슬라 주가 얼마야?",
    ru: "Сколько стоят акции Теслы?",
    requiredCalls: [["get_us_stock", { symbol: "TSLA" }]],
    quotedValues: [["get_us_stock", "price"], ["get_us_stock", "change_pct"]]
  }),
  makeQuestion("us-earnings", "usEarnings", {
    en: "When does Apple report earnings?",
    ko: "애플 실적 발표 언제야?",
    ru: "Когда отчет у Apple?",
    requiredCalls: [["get_us_earnings", { symbol: "AAPL" }]],
    quotedValues: [["get_us_earnings", "implied_move_pct"]]
  }),
  makeQuestion("us-fundamentals", "usFundamentals", {
    en: "What are NVIDIA's revenue and net income?",
    ko: "엔비디아 매출이랑 순이익 알려줘",
    ru: "Какая выручка и чистая прибыль у Нвидиа?",
    requiredCalls: [["get_us_fundamentals", { symbol: "NVDA" }]],
    quotedValues: [["get_us_fundamentals", "income.ttm.revenue_usd"]]
  }),
  makeQuestion("us-ratings-follow", "usRatings", {
    en: ["How is MSFT?", "and what do analysts say?"],
    ko: ["마이크로소프트 주가 어때?", "그럼 목표주가는?"],
    ru: ["Как акции Майкрософта?", "а что говорят аналитики?"],
    requiredCalls: [["get_us_analyst_ratings", { symbol: "MSFT" }]],
    quotedValues: [["get_us_analyst_ratings", "target.mean"]]
  }),
  makeQuestion("us-insiders", "usInsiders", {
    en: "Are insiders selling Amazon?",
    ko: "아마존 내부자들이 팔고 있어?",
    ru: "Продают ли инсайдеры Амазон?",
    requiredCalls: [["get_us_insider_trades", { symbol: "AMZN" }]],
    quotedValues: [["get_us_insider_trades", "net_usd"]]
  }),
  makeQuestion("us-options", "usOptions", {
    en: "What move do options on AAPL imply?",
    ko: "애플 옵션이 예상하는 변동폭은?",
    ru: "Какое движение закладывают опционы на Apple?",
    requiredCalls: [["get_us_options", { symbol: "AAPL" }]],
    quotedValues: [["get_us_options", "expected_move_pct"], ["get_us_options", "iv30_pct"]]
  }),
  makeQuestion("calendar", "calendar", {
    en: "What's on the economic calendar this week?",
    ko: "이번 주 경제 지표 일정 알려줘",
    ru: "Что в экономическом календаре на этой неделе?",
    requiredCalls: [["get_economic_calendar"]]
  }),
  makeQuestion("yields", "yields", {
    en: "Is the US yield curve inverted?",
    ko: "미국 장단기 금리 역전됐어?",
    ru: "Инвертирована ли кривая доходности США?",
    requiredCalls: [["get_yield_curve", { country: "US" }]],
    quotedValues: [["get_yield_curve", "spread_10y_2y_bps"]]
  })
]
