import { makeQuestion, type Question } from "../question.ts"

export const heldOutCoins: ReadonlyArray<Question> = [
  makeQuestion("price", "price", {
    en: "how much does one Cardano go for these days",
    ko: "에이다 한 개에 얼마쯤 해?",
    ru: "почём нынче кардано?",
    requiredCalls: [["get_price", { coin: "ADA" }]]
  }),
  makeQuestion("price-past", "price-past", {
    en: "How much has BTC gained since a week ago?",
    ko: "비트코인 일주일 전이랑 비교하면 얼마나 올랐어?",
    ru: "На сколько биткоин вырос за неделю?",
    requiredCalls: [["get_price_at", { coin: "BTC", minutes_ago: 10_080 }]]
  }),
  makeQuestion("trend", "trend", {
    en: "Is SOL still in an uptrend or is it rolling over?",
    ko: "솔라나 상승 추세 아직 살아 있어?",
    ru: "Солана всё ещё в восходящем тренде?",
    requiredCalls: [["get_score", { coin: "SOL" }], ["get_indicators", { coin: "SOL" }]]
  }),
  makeQuestion("indicators", "indicators", {
    en: "Where does daily RSI stand on bitcoin?",
    ko: "비트코인 일봉 기준 RSI 몇이야?",
    ru: "Сколько RSI на дневке у битка?",
    requiredCalls: [["get_indicators", { coin: "BTC", tf: "1d" }]]
  }),
  makeQuestion("levels", "levels", {
    en: "What floor should I watch on ether?",
    ko: "이더리움 어디서 받쳐줄까? 지지 구간 알려줘",
    ru: "Где ближайшее дно-поддержка по эфиру?",
    requiredCalls: [["get_levels", { coin: "ETH" }]]
  }),
  makeQuestion("funding", "funding", {
    en: "Are DOGE longs paying a lot to hold?  I mean the funding rate",
    ko: "도지 롱 잡으면 펀딩비 많이 내야 돼?",
    ru: "Много ли платят лонги по доги, какой фандинг?",
    requiredCalls: [["get_derivatives", { coin: "DOGE" }]]
  }),
  makeQuestion("openInterest", "openInterest", {
    en: "Is leverage building up in ETH futures?",
    ko: "이더 선물 미결제약정 늘고 있어?",
    ru: "Растет ли открытый интерес в эфире?",
    requiredCalls: [["get_derivatives", { coin: "ETH" }]]
  }),
  makeQuestion("basis", "basis", {
    en: "How much annualized does cash-and-carry on ETH futures yield? What's the basis?",
    ko: "이더리움 선물이 현물보다 얼마나 비싸? 베이시스로 알려줘",
    ru: "Какая премия у фьючерсов эфира к споту, какой базис?",
    requiredCalls: [["get_basis", { coin: "ETH" }]]
  }),
  makeQuestion("liquidations", "liquidations", {
    en: "Who got rekt in SOL, longs or shorts?",
    ko: "솔라나에서 롱이 더 많이 털렸어 숏이 더 털렸어? 청산 내역",
    ru: "Кого больше ликвиднуло по солане?",
    requiredCalls: [["get_liquidations", { coin: "SOL" }]]
  }),
  makeQuestion("impliedVolatility", "impliedVolatility", {
    en: "Is vol cheap on ETH right now? I mean implied",
    ko: "이더리움 IV 퍼센타일이 어느 정도야?",
    ru: "Дешева ли сейчас подразумеваемая волатильность по эфиру?",
    requiredCalls: [["get_iv_metrics", { coin: "ETH" }]]
  }),
  makeQuestion("optionsPositioning", "optionsPositioning", {
    en: "At which strike would most BTC calls and puts expire worthless?  max pain?",
    ko: "비트코인 옵션 풋콜 비율이 어떻게 돼?",
    ru: "Какое соотношение пут/колл по биткоину?",
    requiredCalls: [["get_options_positioning", { coin: "BTC" }]]
  }),
  makeQuestion("optionStrategy", "optionStrategy", {
    en: "How would you play a sideways ETH with options?",
    ko: "이더리움 횡보할 것 같은데 옵션 전략 뭐가 좋아?",
    ru: "Жду боковик по эфиру, какую опционную конструкцию взять?",
    requiredCalls: [["get_option_strategy", { coin: "ETH" }]]
  }),
  makeQuestion("optionFlow", "optionFlow", {
    en: "What are option traders buying in ETH, show me the options flow",
    ko: "이더리움 옵션 체결 흐름 보여줘",
    ru: "Что покупают в опционах эфира, покажи опционный поток",
    requiredCalls: [["get_option_flow", { coin: "ETH" }]]
  })
]
