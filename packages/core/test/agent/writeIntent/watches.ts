import { asked, type Call, type Example, other, watch } from "./example.ts"

/** Price watches of `symbol` with every operator, and the only number of the message. */
const onPrice = (message: string, symbol: string, value: number): Example =>
  other(
    message,
    ...["gt", "gte", "lt", "lte", "cross_above", "cross_below"].map((op) => watch(symbol, symbol, op, value))
  )
const gap = (title: string, symbol: string, value: number): Call => [
  "create_task",
  { title, kind: "watch", spec: { metric: "gap", symbol, value } }
]
const vwap = (title: string, symbol: string, dir: string): Call => [
  "create_task",
  { title, kind: "watch", spec: { metric: "vwap_cross", symbol, dir } }
]

/**
 * Requests for notifications of measures that cannot be watched, or of one of two things. No price watch is requested.
 */
export const otherMeasures: ReadonlyArray<Example> = [
  onPrice("tell me when BTC RSI on 4h drops under 30", "BTC", 30),
  onPrice("alert me when BTC 4h RSI > 70", "BTC", 70),
  onPrice("alert me when BTC 4h RSI is above 70", "BTC", 70),
  onPrice("alert me when BTC rsi goes below 30", "BTC", 30),
  onPrice("let me know if ETH funding goes above 0.05", "ETH", 0.05),
  onPrice("let me know when BTC dominance falls below 50", "BTC", 50),
  onPrice("alert me when BTC.D falls below 50", "BTC", 50),
  onPrice("notify me when BTC volume exceeds 50000", "BTC", 50000),
  onPrice("notify me when BTC open interest is above 20 billion", "BTC", 20e9),
  onPrice("notify me when BTC OI is above 20 billion", "BTC", 20e9),
  onPrice("alert me when the BTC kimchi premium is above 5", "BTC", 5),
  onPrice("alert me when BTC volatility is over 60", "BTC", 60),
  onPrice("alert me when BTC IV is over 60", "BTC", 60),
  onPrice("alert me when ETH/BTC breaks 0.04", "ETH", 0.04),
  onPrice("alert me when the ETH BTC ratio is above 0.04", "ETH", 0.04),
  onPrice("alert me when BTC MACD crosses above 0", "BTC", 0),
  onPrice("alert me when the BTC 200 day moving average is above 60000", "BTC", 60000),
  onPrice("alert me when the BTC moving average is above 60000", "BTC", 60000),
  onPrice("alert me when the average of BTC is above 60000", "BTC", 60000),
  onPrice("alert me when BTC EMA crosses above 60000", "BTC", 60000),
  onPrice("alert me when the BTC market cap is above 2 trillion", "BTC", 2),
  onPrice("alert me when BTC liquidations exceed 100000000", "BTC", 100000000),
  onPrice("alert me when BTC longs are above 60", "BTC", 60),
  onPrice("alert me when BTC spread is above 10", "BTC", 10),
  onPrice("alert me when BTC max pain goes above 90000", "BTC", 90000),
  onPrice("alert me when BTC on Upbit is above 70000", "BTC", 70000),
  onPrice("alert me when BTC futures trade above 70000", "BTC", 70000),
  onPrice("alert me when BTC closes above 70000", "BTC", 70000),
  onPrice("alert me when BTC is above 70000 on the 4h", "BTC", 70000),
  onPrice("alert me when BTC is above 70000 for 2 hours", "BTC", 70000),
  onPrice("alert me when BTC is above 70000 at 9am", "BTC", 70000),
  onPrice("alert me when my BTC position is above 5000", "BTC", 5000),
  onPrice("alert me when the gas of ETH is above 50", "ETH", 50),
  onPrice("alert me when BTC mentions are above 5000", "BTC", 5000),
  onPrice("alert me when BTC bitcoin etf inflow is above 500", "BTC", 500),
  onPrice("alert me when BTC is above 90k and ETH above 3k", "BTC", 90000),
  onPrice("alert me when BTC is above 90k and ETH above 3k", "ETH", 3000),
  onPrice("alert me when BTC is above 90k and the volume is rising", "BTC", 90000),
  onPrice("alert me when BTC is above 90k and RSI is not overbought", "BTC", 90000),
  onPrice("alert me when BTC is above 90k while the dollar is weak", "BTC", 90000),
  onPrice("alert me when BTC is above 90k, funding permitting", "BTC", 90000),
  onPrice("alert me when BTC is above 90k and below 95k", "BTC", 90000),
  onPrice("이더 RSI 30 아래로 가면 알림 줘", "ETH", 30),
  onPrice("비트 RSI 30 아래로 떨어지면 알려줘", "BTC", 30),
  onPrice("비트 펀비 0.05 넘으면 알려줘", "BTC", 0.05),
  onPrice("비트 펀딩비 0.05 넘으면 알려줘", "BTC", 0.05),
  onPrice("비트코인 도미넌스 50 밑으로 가면 알려줘", "BTC", 50),
  onPrice("비트코인 점유율 50 아래로 내려가면 알려줘", "BTC", 50),
  onPrice("비트코인 김프 5 넘으면 알려줘", "BTC", 5),
  onPrice("비트코인 거래량 50000 넘으면 알려줘", "BTC", 50000),
  onPrice("비트코인 미결제약정 20000 넘으면 알려줘", "BTC", 20000),
  onPrice("비트코인 변동성 60 넘으면 알려줘", "BTC", 60),
  onPrice("비트코인 청산 100만 달러 넘으면 알려줘", "BTC", 1e6),
  onPrice("비트코인 시총 2000 넘으면 알려줘", "BTC", 2000),
  onPrice("비트코인 이동평균 60000 넘으면 알려줘", "BTC", 60000),
  onPrice("비트코인 롱 비율 60 넘으면 알려줘", "BTC", 60),
  onPrice("비트코인 수요 60 넘으면 알려줘", "BTC", 60),
  onPrice("비트코인 이자 5 넘으면 알려줘", "BTC", 5),
  onPrice("비트코인 9만 넘고 이더리움 3천 넘으면 알려줘", "BTC", 90000),
  onPrice("비트코인 9만 넘고 이더리움 3천 넘으면 알려줘", "ETH", 3000),
  onPrice("업비트 비트코인 70000 넘으면 알려줘", "BTC", 70000),
  onPrice("비트코인 종가 70000 넘으면 알려줘", "BTC", 70000),
  onPrice("сообщи когда доминация BTC упадет ниже 50", "BTC", 50),
  onPrice("сообщи, когда RSI биткоина упадет ниже 30", "BTC", 30),
  onPrice("сообщи, когда фандинг BTC станет выше 0,05", "BTC", 0.05),
  onPrice("сообщи, когда объем BTC превысит 50000", "BTC", 50000),
  onPrice("сообщи, когда открытый интерес BTC превысит 20000", "BTC", 20000),
  onPrice("сообщи, когда кимчи-премия BTC выше 5", "BTC", 5),
  onPrice("сообщи, когда волатильность BTC выше 60", "BTC", 60),
  onPrice("сообщи, когда скользящая средняя BTC выше 60000", "BTC", 60000),
  onPrice("сообщи, когда капитализация BTC выше 2000", "BTC", 2000),
  onPrice("сообщи, когда ликвидации BTC превысят 1000000", "BTC", 1000000),
  onPrice("сообщи, когда BTC выше 90к и ETH выше 3к", "BTC", 90000),
  onPrice("сообщи, когда BTC выше 90к и ETH выше 3к", "ETH", 3000),
  onPrice("сообщи, когда BTC закроется выше 90к", "BTC", 90000),
  onPrice("сообщи, когда BTC выше 90к на 4ч", "BTC", 90000),
  other("алерт: эфир 3000 вниз", watch("ETH", "ETH", "gt", 3000)),
  other("создай алерт: эфир 3000 вниз", watch("ETH", "ETH", "gt", 3000)),
  other("alert me when ETH falls past 3000", watch("ETH", "ETH", "gt", 3000), watch("ETH", "ETH", "cross_above", 3000)),
  other("alert me when ETH moves 5% in a day", gap("ETH", "ETH", 5)),
  other("alert me when ETH moves 5% in 24 hours", gap("ETH", "ETH", 5)),
  other("alert me when ETH funding moves 5%", gap("ETH", "ETH", 5)),
  other("alert me when ETH crosses above its weekly VWAP", vwap("ETH", "ETH", "above")),
  other("alert me when ETH is above VWAP by 5%", vwap("ETH", "ETH", "above")),
  other("alert me when the 4h RSI score of BTC is above 40", watch("BTC", "BTC", "gt", 40, "score")),
  other("alert me when the ETH sentiment score is above 40", watch("ETH", "ETH", "gt", 40, "score"))
]

/** Requests whose watches may be written. */
export const watches: ReadonlyArray<Example> = [
  asked("Tell me when the price of BTC goes above $100k please", watch("BTC above 100k", "BTC", "gt", 100000)),
  asked("please set up a price alert: ETH below 2,900", watch("ETH below 2900", "ETH", "lt", 2900)),
  asked("ping me as soon as SOL drops under 120 dollars", watch("SOL under 120", "SOL", "lt", 120)),
  asked("Could you let me know when DOGE reaches 0.5?", watch("DOGE 0.5", "DOGE", "gte", 0.5)),
  asked("alert me if NVDA falls below 150", watch("NVDA below 150", "NVDA", "lt", 150)),
  asked("alert me when ETH moves 5% within an hour", gap("ETH 5%", "ETH", 5)),
  asked("alert me if any coin moves more than 10% in 60 minutes", gap("any coin 10%", "*", 10)),
  asked("notify me when BTC crosses above VWAP", vwap("BTC above VWAP", "BTC", "above")),
  asked("삼성전자 6만원 밑으로 가면 알려줘", watch("삼성전자 6만원", "005930", "lt", 60000)),
  asked("비트코인 가격이 10만 달러를 돌파하면 바로 알려주세요", watch("비트코인 10만 달러", "BTC", "gt", 100000)),
  asked("비트코인 점수 40 넘으면 알려줘", watch("비트코인 점수 40", "BTC", "gt", 40, "score")),
  asked("이더리움이 5% 이상 움직이면 알려줘", gap("이더리움 5%", "ETH", 5)),
  asked(
    "Сообщи, пожалуйста, когда цена биткоина поднимется выше 100 тыс. долларов",
    watch("биткоин", "BTC", "gt", 1e5)
  ),
  asked("Создай алерт: эфир 3000 вниз", watch("эфир 3000", "ETH", "lt", 3000)),
  asked("Предупреди, когда балл BTC станет ниже 0", watch("балл BTC", "BTC", "lt", 0, "score"))
]
