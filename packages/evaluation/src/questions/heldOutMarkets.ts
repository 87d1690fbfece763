import { makeQuestion, type Question } from "../question.ts"

export const heldOutMarkets: ReadonlyArray<Question> = [
  makeQuestion("kimchi", "kimchi", {
    en: "How much more expensive is XRP in Korea? kimchi premium please",
    ko: "리플 김치프리미엄 지금 몇 프로야?",
    ru: "Насколько рипл дороже в Корее, какая кимчи премия?",
    requiredCalls: [["get_kimchi_premium", { coin: "XRP" }]]
  }),
  makeQuestion("krListings", "krListings", {
    en: "What coins did Korean exchanges list recently?",
    ko: "최근 빗썸에 새로 상장된 코인 알려줘",
    ru: "Что недавно залистили корейские биржи?",
    requiredCalls: [["get_kr_listings"]]
  }),
  makeQuestion("krMarket", "krMarket", {
    en: "Korean stock market summary please",
    ko: "오늘 국내 증시 마감 어떻게 됐어?",
    ru: "Что с корейским фондовым рынком?",
    requiredCalls: [["get_kr_market"]]
  }),
  makeQuestion("krStock", "krStock", {
    en: "Tell me about Kakao shares",
    ko: "카카오 지금 얼마에 거래돼?",
    ru: "Расскажи про акции Какао",
    requiredCalls: [["get_kr_stock", { symbol: "035720" }]]
  }),
  makeQuestion("krFlows", "krFlows", {
    en: "Who has been net buying Hyundai Motor?",
    ko: "현대차 수급 어때? 기관이랑 외국인",
    ru: "Кто был нетто-покупателем Хендай: иностранцы или институционалы?",
    requiredCalls: [["get_kr_investor_flows", { symbol: "005380" }]]
  }),
  makeQuestion("krFilings", "krFilings", {
    en: "Did Celltrion file anything on DART lately?",
    ko: "셀트리온 새로 나온 공시 있어?",
    ru: "Были ли свежие раскрытия у Селтриона?",
    requiredCalls: [["get_kr_disclosures"]]
  }),
  makeQuestion("usMarket", "usMarket", {
    en: "Is Wall Street green today?",
    ko: "간밤에 나스닥 어땠어?",
    ru: "Что сегодня на Уолл-стрит, растет S&P?",
    requiredCalls: [["get_us_market"]]
  }),
  makeQuestion("usStock", "usStock", {
    en: "AMD quote please",
    ko: "AMD 주가 좀 봐줘",
    ru: "Котировки AMD, пожалуйста",
    requiredCalls: [["get_us_stock", { symbol: "AMD" }]]
  }),
  makeQuestion("usEarnings", "usEarnings", {
    en: "How did Netflix's last earnings go against estimates?",
    ko: "넷플릭스 지난 실적 서프라이즈였어?",
    ru: "Как Нетфликс отчитался в прошлый раз?",
    requiredCalls: [["get_us_earnings", { symbol: "NFLX" }]]
  }),
  makeQuestion("usFundamentals", "usFundamentals", {
    en: "How much debt and cash does Microsoft have?",
    ko: "마이크로소프트 영업이익이랑 부채 알려줘",
    ru: "Сколько у Майкрософта долга и какая выручка?",
    requiredCalls: [["get_us_fundamentals", { symbol: "MSFT" }]]
  }),
  makeQuestion("usRatings", "usRatings", {
    en: "What is the average price target on Tesla?",
    ko: "테슬라 애널리스트 컨센서스 어때?",
    ru: "Какой консенсус аналитиков по Тесле?",
    requiredCalls: [["get_us_analyst_ratings", { symbol: "TSLA" }]]
  }),
  makeQuestion("usInsiders", "usInsiders", {
    en: "Did executives at Meta dump shares? insider trades",
    ko: "메타 임원들이 주식 팔았어? 내부자 거래",
    ru: "Сбрасывают ли инсайдеры Meta акции?",
    requiredCalls: [["get_us_insider_trades", { symbol: "META" }]]
  }),
  makeQuestion("usOptions", "usOptions", {
    en: "What does implied vol on Nvidia say?",
    ko: "엔비디아 옵션 내재변동성 어때?",
    ru: "Какая подразумеваемая волатильность у опционов Нвидиа?",
    requiredCalls: [["get_us_options", { symbol: "NVDA" }]]
  }),
  makeQuestion("calendar", "calendar", {
    en: "When is the next CPI print?",
    ko: "다음 FOMC 언제야?",
    ru: "Когда выйдет инфляция в США?",
    requiredCalls: [["get_economic_calendar"]]
  }),
  makeQuestion("yields", "yields", {
    en: "Where are 10-year Treasury yields?",
    ko: "미국 10년물 국채 금리 얼마야?",
    ru: "Какая доходность у десятилетних трежерис?",
    requiredCalls: [["get_yield_curve"]]
  })
]
