import { makeQuestion, type Question } from "../../question.ts"

export const unseenPrices: ReadonlyArray<Question> = [
  makeQuestion("price-slang", "price", {
    en: "whats btc at rn",
    ko: "비코 지금 얼마",
    ru: "скок щас биток",
    requiredCalls: [["get_price", { coin: "BTC" }]],
    quotedValues: [["get_price", "price"]]
  }),
  makeQuestion("price-doge", "price", {
    en: "how much is 1 doge in usd??",
    ko: "도지 현재가 ㄱㄱ",
    ru: "почем нынче доги",
    requiredCalls: [["get_price", { coin: "DOGE" }]],
    quotedValues: [["get_price", "price"]]
  }),
  makeQuestion("price-and-whales", "price", {
    en: "btc price and are whales sending coins to exchanges?",
    ko: "비트 시세랑 거래소로 들어간 고래 물량 같이 알려줘",
    ru: "цена битка и что там киты, заводят на биржи?",
    requiredCalls: [["get_price", { coin: "BTC" }], ["get_whale_transfers", { coin: "BTC" }]],
    quotedValues: [["get_price", "price"], ["get_whale_transfers", "exchange_net_usd"]]
  }),
  makeQuestion("price-3h", "price", {
    en: "how much did xrp move in the past 3 hrs",
    ko: "리플 3시간 동안 몇 퍼 움직였어",
    ru: "на сколько сдвинулся xrp за 3 часа",
    requiredCalls: [["get_price_at", { coin: "XRP", minutes_ago: 180 }]],
    quotedValues: [["get_price_at", "change_pct"]]
  }),
  makeQuestion("price-half-hour", "price", {
    en: "eth vs 30 min ago?",
    ko: "이더 30분 전이랑 비교하면 올랐어?",
    ru: "эфир за последние полчаса как изменился",
    requiredCalls: [["get_price_at", { coin: "ETH", minutes_ago: 30 }]],
    quotedValues: [["get_price_at", "change_pct"]]
  }),
  makeQuestion("price-high-low", "price", {
    en: "sol hi/lo today",
    ko: "솔 오늘 고점 저점",
    ru: "хай и лоу соланы за сутки",
    requiredCalls: [["get_price", { coin: "SOL" }]],
    quotedValues: [["get_price", "high_24h"], ["get_price", "low_24h"]]
  }),
  makeQuestion("price-three", "price", {
    en: "btc eth sol prices pls",
    ko: "비트 이더 솔 시세 한번에",
    ru: "биток, эфир и сол - цены плиз",
    requiredCalls: [["get_price", { coin: "BTC" }], ["get_price", { coin: "ETH" }], ["get_price", { coin: "SOL" }]],
    quotedValues: [["get_price", "price"]]
  }),
  makeQuestion("price-volume", "price", {
    en: "avax 24h volume",
    ko: "아발란체 24시간 거래대금 얼마",
    ru: "объем торгов авакса за сутки",
    requiredCalls: [["get_price", { coin: "AVAX" }]],
    quotedValues: [["get_price", "volume_24h_usd"]]
  }),
  makeQuestion("price-cap", "price", {
    en: "mcap of ada?",
    ko: "에이다 시총 얼마",
    ru: "какая капа у кардано",
    requiredCalls: [["get_price", { coin: "ADA" }]],
    quotedValues: [["get_price", "market_cap_usd"]]
  }),
  makeQuestion("token-fdv", "token", {
    en: "fdv and circ supply of arb",
    ko: "아비트럼 유통량이랑 fdv",
    ru: "fdv и циркулирующее предложение арбитрума",
    requiredCalls: [["get_token", { coin: "ARB" }]],
    quotedValues: [["get_token", "fdv_usd"], ["get_token", "supply.circulating"]]
  }),
  makeQuestion("cause-market", "cause", {
    en: "why is everything dumping today",
    ko: "오늘 장 왜 이럼?",
    ru: "почему всё льётся сегодня?",
    requiredCalls: [["get_latest_news"]]
  }),
  makeQuestion("cause-typo", "cause", {
    en: "y is solana pumping",
    ko: "솔라나 왜 쏘는거야",
    ru: "чего солану пампят",
    requiredCalls: [["get_price", { coin: "SOL" }], ["get_latest_news", { coin: "SOL" }]],
    quotedValues: [["get_price", "change_24h_pct"]]
  }),
  makeQuestion("trend-15m", "trend", {
    en: "eth 15m looking bullish or nah",
    ko: "이더 15분봉 롱 자리냐",
    ru: "эфир на 15м бычий или нет",
    requiredCalls: [["get_indicators", { coin: "ETH", tf: "15m" }]],
    quotedValues: [["get_indicators", "rsi"]]
  }),
  makeQuestion("trend-dca", "trend", {
    en: "bad idea to dca into link now?",
    ko: "링크 지금 분할매수 괜찮?",
    ru: "норм ли сейчас докупать линк",
    requiredCalls: [["get_score", { coin: "LINK" }]],
    quotedValues: [["get_score", "score"]]
  }),
  makeQuestion("rsi-two-frames", "indicators", {
    en: "rsi of eth on 1h and 4h",
    ko: "이더 rsi 1시간봉 4시간봉 둘다",
    ru: "rsi эфира на 1ч и на 4ч",
    requiredCalls: [["get_indicators", { coin: "ETH", tf: "1h" }], ["get_indicators", { coin: "ETH", tf: "4h" }]],
    quotedValues: [["get_indicators", "rsi"]]
  }),
  makeQuestion("ema-200", "indicators", {
    en: "is btc above its 200 ema on the daily",
    ko: "비트 일봉 200이평 위에 있음?",
    ru: "биток выше 200 ema на дневке?",
    requiredCalls: [["get_indicators", { coin: "BTC", tf: "1d" }]],
    quotedValues: [["get_indicators", "ema.200"]]
  }),
  makeQuestion("support-1h", "levels", {
    en: "where's nearest support for sol on the hourly",
    ko: "솔라나 1시간봉 기준 가장 가까운 지지",
    ru: "ближайшая поддержка по сол на часовике",
    requiredCalls: [["get_levels", { coin: "SOL", tf: "1h" }]],
    quotedValues: [["get_levels", "supports.0.price"]]
  }),
  makeQuestion("pivots", "levels", {
    en: "pivot points btc",
    ko: "비트 피봇 포인트 알려줘",
    ru: "пивоты по битку дай",
    requiredCalls: [["get_levels", { coin: "BTC" }]],
    quotedValues: [["get_levels", "pivots.pivot"]]
  }),
  makeQuestion("fibonacci", "levels", {
    en: "0.618 fib for eth?",
    ko: "이더 피보나치 0.618 자리 어디",
    ru: "где 0.618 по фибе на эфире",
    requiredCalls: [["get_levels", { coin: "ETH" }]],
    quotedValues: [["get_levels", "fibonacci.retracements.3.price"]]
  }),
  makeQuestion("vwap-week", "vwap", {
    en: "btc weekly vwap",
    ko: "비트 주간 vwap 얼마",
    ru: "недельный vwap битка",
    requiredCalls: [["get_vwap", { coin: "BTC", anchor: "week" }]],
    quotedValues: [["get_vwap", "vwap"]]
  }),
  makeQuestion("weekday", "seasonality", {
    en: "what day of the week is best to buy btc",
    ko: "비트 무슨 요일에 제일 잘 오름?",
    ru: "в какой день недели биток растет чаще",
    requiredCalls: [["get_seasonality", { coin: "BTC" }]]
  }),
  makeQuestion("risk-on", "regime", {
    en: "are we risk on or risk off",
    ko: "지금 리스크온이야 리스크오프야",
    ru: "сейчас риск-он или риск-офф",
    requiredCalls: [["get_regime"]]
  }),
  makeQuestion("altseason", "dominance", {
    en: "alt season yet?",
    ko: "알트 시즌 왔어?",
    ru: "альтсезон уже начался?",
    requiredCalls: [["get_dominance"]],
    quotedValues: [["get_dominance", "altseason_index"]]
  })
]
