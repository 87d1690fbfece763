import { makeQuestion, type Question } from "../../question.ts"

/** Conversations of three messages, of which only the reply to the last message is scored. */
export const unseenFollowUps: ReadonlyArray<Question> = [
  makeQuestion("follow-coin", "funding", {
    en: ["btc price?", "and funding", "what about sol"],
    ko: ["비트 얼마?", "펀비는?", "솔라나는?"],
    ru: ["почем биток?", "а фандинг", "а у соланы?"],
    requiredCalls: [["get_derivatives", { coin: "SOL" }]],
    quotedValues: [["get_derivatives", "funding_rate_pct"]]
  }),
  makeQuestion("follow-shares", "usEarnings", {
    en: ["hows nvda doing", "when are earnings?", "and amd?"],
    ko: ["엔비디아 주가 어때", "실적은 언제야?", "amd는?"],
    ru: ["как там нвидиа", "когда отчет?", "а у amd?"],
    requiredCalls: [["get_us_earnings", { symbol: "AMD" }]],
    quotedValues: [["get_us_earnings", "next.eps_estimate"]]
  }),
  makeQuestion("follow-frame", "indicators", {
    en: ["rsi of link on 4h", "and on the daily?", "same for avax"],
    ko: ["링크 4시간봉 rsi", "일봉은?", "아발란체도"],
    ru: ["rsi линка на 4ч", "а на дневке?", "то же по аваксу"],
    requiredCalls: [["get_indicators", { coin: "AVAX", tf: "1d" }]],
    quotedValues: [["get_indicators", "rsi"]]
  }),
  makeQuestion("follow-odds", "probability", {
    en: ["odds btc is up in 1h", "what about in a day", "and of touching 70k?"],
    ko: ["1시간 뒤 비트 오를 확률", "하루 뒤는?", "7만 찍을 확률은?"],
    ru: ["вероятность роста битка за час", "а за сутки?", "а коснуться 70к?"],
    requiredCalls: [["get_probability", { coin: "BTC", horizon_min: 1_440, target: 70_000 }]],
    quotedValues: [["get_probability", "p_touch"]]
  }),
  makeQuestion("follow-chart", "chart", {
    en: ["draw eth 4h", "add rsi", "make it daily"],
    ko: ["이더 4시간봉 차트", "rsi 추가해줘", "일봉으로 바꿔줘"],
    ru: ["нарисуй эфир 4ч", "добавь rsi", "сделай дневной"],
    requiredCalls: [["make_chart", { coin: "ETH", tf: "1d" }]]
  }),
  makeQuestion("follow-kimchi", "price", {
    en: ["kimchi premium of xrp", "is there an upcoming listing?", "xrp price in dollars then?"],
    ko: ["리플 김프", "신규 상장된 거 있어?", "그럼 리플 달러 가격은?"],
    ru: ["кимчи премия xrp", "есть новые листинги?", "а цена xrp в долларах?"],
    requiredCalls: [["get_price", { coin: "XRP" }]],
    quotedValues: [["get_price", "price"]]
  }),
  makeQuestion("follow-why", "cause", {
    en: ["how's eth doing", "any liquidations?", "why did it drop"],
    ko: ["이더 어때", "청산은?", "왜 떨어진 거야"],
    ru: ["как там эфир", "ликвидации были?", "а почему упал"],
    requiredCalls: [["get_latest_news", { coin: "ETH" }]],
    quotedValues: [["get_price", "change_24h_pct"]]
  })
]
