import type { Question } from "../question.ts"
import { heldOutQuestion as of } from "./heldOutQuestion.ts"

export const heldOutMarkets: ReadonlyArray<Question> = [
  of(
    "kimchi",
    [["get_kimchi_premium", { coin: "XRP" }]],
    "How much more expensive is XRP in Korea? kimchi premium please",
    "리플 김치프리미엄 지금 몇 프로야?",
    "Насколько рипл дороже в Корее, какая кимчи премия?"
  ),
  of(
    "krListings",
    [["get_kr_listings"]],
    "What coins did Korean exchanges list recently?",
    "최근 빗썸에 새로 상장된 코인 알려줘",
    "Что недавно залистили корейские биржи?"
  ),
  of(
    "krMarket",
    [["get_kr_market"]],
    "Korean stock market summary please",
    "오늘 국내 증시 마감 어떻게 됐어?",
    "Что с корейским фондовым рынком?"
  ),
  of(
    "krStock",
    [["get_kr_stock", { symbol: "035720" }]],
    "Tell me about Kakao shares",
    "카카오 지금 얼마에 거래돼?",
    "Расскажи про акции Какао"
  ),
  of(
    "krFlows",
    [["get_kr_investor_flows", { symbol: "005380" }]],
    "Who has been net buying Hyundai Motor?",
    "현대차 수급 어때? 기관이랑 외국인",
    "Кто был нетто-покупателем Хендай: иностранцы или институционалы?"
  ),
  of(
    "krFilings",
    [["get_kr_disclosures"]],
    "Did Celltrion file anything on DART lately?",
    "셀트리온 새로 나온 공시 있어?",
    "Были ли свежие раскрытия у Селтриона?"
  ),
  of(
    "usMarket",
    [["get_us_market"]],
    "Is Wall Street green today?",
    "간밤에 나스닥 어땠어?",
    "Что сегодня на Уолл-стрит, растет S&P?"
  ),
  of(
    "usStock",
    [["get_us_stock", { symbol: "AMD" }]],
    "AMD quote please",
    "AMD 주가 좀 봐줘",
    "Котировки AMD, пожалуйста"
  ),
  of(
    "usEarnings",
    [["get_us_earnings", { symbol: "NFLX" }]],
    "How did Netflix's last earnings go against estimates?",
    "넷플릭스 지난 실적 서프라이즈였어?",
    "Как Нетфликс отчитался в прошлый раз?"
  ),
  of(
    "usFundamentals",
    [["get_us_fundamentals", { symbol: "MSFT" }]],
    "How much debt and cash does Microsoft have?",
    "마이크로소프트 영업이익이랑 부채 알려줘",
    "Сколько у Майкрософта долга и какая выручка?"
  ),
  of(
    "usRatings",
    [["get_us_analyst_ratings", { symbol: "TSLA" }]],
    "What is the average price target on Tesla?",
    "테슬라 애널리스트 컨센서스 어때?",
    "Какой консенсус аналитиков по Тесле?"
  ),
  of(
    "usInsiders",
    [["get_us_insider_trades", { symbol: "META" }]],
    "Did executives at Meta dump shares? insider trades",
    "메타 임원들이 주식 팔았어? 내부자 거래",
    "Сбрасывают ли инсайдеры Meta акции?"
  ),
  of(
    "usOptions",
    [["get_us_options", { symbol: "NVDA" }]],
    "What does implied vol on Nvidia say?",
    "엔비디아 옵션 내재변동성 어때?",
    "Какая подразумеваемая волатильность у опционов Нвидиа?"
  ),
  of(
    "calendar",
    [["get_economic_calendar"]],
    "When is the next CPI print?",
    "다음 FOMC 언제야?",
    "Когда выйдет инфляция в США?"
  ),
  of(
    "yields",
    [["get_yield_curve"]],
    "Where are 10-year Treasury yields?",
    "미국 10년물 국채 금리 얼마야?",
    "Какая доходность у десятилетних трежерис?"
  )
]
