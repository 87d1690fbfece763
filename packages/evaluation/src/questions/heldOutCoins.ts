import type { Question } from "../question.ts"
import { heldOutQuestion as of } from "./heldOutQuestion.ts"

export const heldOutCoins: ReadonlyArray<Question> = [
  of(
    "price",
    [["get_price", { coin: "ADA" }]],
    "how much does one Cardano go for these days",
    "에이다 한 개에 얼마쯤 해?",
    "почём нынче кардано?"
  ),
  of(
    "price-past",
    [["get_price_at", { coin: "BTC", minutes_ago: 10_080 }]],
    "How much has BTC gained since a week ago?",
    "비트코인 일주일 전이랑 비교하면 얼마나 올랐어?",
    "На сколько биткоин вырос за неделю?"
  ),
  of(
    "trend",
    [["get_score", { coin: "SOL" }], ["get_indicators", { coin: "SOL" }]],
    "Is SOL still in an uptrend or is it rolling over?",
    "솔라나 상승 추세 아직 살아 있어?",
    "Солана всё ещё в восходящем тренде?"
  ),
  of(
    "indicators",
    [["get_indicators", { coin: "BTC", tf: "1d" }]],
    "Where does daily RSI stand on bitcoin?",
    "비트코인 일봉 기준 RSI 몇이야?",
    "Сколько RSI на дневке у битка?"
  ),
  of(
    "levels",
    [["get_levels", { coin: "ETH" }]],
    "What floor should I watch on ether?",
    "이더리움 어디서 받쳐줄까? 지지 구간 알려줘",
    "Где ближайшее дно-поддержка по эфиру?"
  ),
  of(
    "funding",
    [["get_derivatives", { coin: "DOGE" }]],
    "Are DOGE longs paying a lot to hold?  I mean the funding rate",
    "도지 롱 잡으면 펀딩비 많이 내야 돼?",
    "Много ли платят лонги по доги, какой фандинг?"
  ),
  of(
    "openInterest",
    [["get_derivatives", { coin: "ETH" }]],
    "Is leverage building up in ETH futures?",
    "이더 선물 미결제약정 늘고 있어?",
    "Растет ли открытый интерес в эфире?"
  ),
  of(
    "basis",
    [["get_basis", { coin: "ETH" }]],
    "How much annualized does cash-and-carry on ETH futures yield? What's the basis?",
    "이더리움 선물이 현물보다 얼마나 비싸? 베이시스로 알려줘",
    "Какая премия у фьючерсов эфира к споту, какой базис?"
  ),
  of(
    "liquidations",
    [["get_liquidations", { coin: "SOL" }]],
    "Who got rekt in SOL, longs or shorts?",
    "솔라나에서 롱이 더 많이 털렸어 숏이 더 털렸어? 청산 내역",
    "Кого больше ликвиднуло по солане?"
  ),
  of(
    "impliedVolatility",
    [["get_iv_metrics", { coin: "ETH" }]],
    "Is vol cheap on ETH right now? I mean implied",
    "이더리움 IV 퍼센타일이 어느 정도야?",
    "Дешева ли сейчас подразумеваемая волатильность по эфиру?"
  ),
  of(
    "optionsPositioning",
    [["get_options_positioning", { coin: "BTC" }]],
    "At which strike would most BTC calls and puts expire worthless?  max pain?",
    "비트코인 옵션 풋콜 비율이 어떻게 돼?",
    "Какое соотношение пут/колл по биткоину?"
  ),
  of(
    "optionStrategy",
    [["get_option_strategy", { coin: "ETH" }]],
    "How would you play a sideways ETH with options?",
    "이더리움 횡보할 것 같은데 옵션 전략 뭐가 좋아?",
    "Жду боковик по эфиру, какую опционную конструкцию взять?"
  ),
  of(
    "optionFlow",
    [["get_option_flow", { coin: "ETH" }]],
    "What are option traders buying in ETH, show me the options flow",
    "이더리움 옵션 체결 흐름 보여줘",
    "Что покупают в опционах эфира, покажи опционный поток"
  )
]
