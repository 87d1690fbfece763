import { makeQuestion, type Question } from "../question.ts"

export const derivatives: ReadonlyArray<Question> = [
  makeQuestion("funding-btc", "funding", {
    en: "How is BTC funding right now?",
    ko: "비트코인 펀딩비 지금 어때?",
    ru: "Какой сейчас фандинг у битка?",
    requiredCalls: [["get_derivatives", { coin: "BTC" }]],
    quotedValues: [["get_derivatives", "funding_rate_pct"], ["get_derivatives", "funding_percentile_90d"]]
  }),
  makeQuestion("funding-follow", "funding", {
    en: ["What's the price of ETH?", "and its funding?"],
    ko: ["이더리움 가격 알려줘", "그럼 펀딩은?"],
    ru: ["Какая цена эфира?", "а фандинг?"],
    requiredCalls: [["get_derivatives", { coin: "ETH" }]],
    quotedValues: [["get_derivatives", "funding_rate_pct"]]
  }),
  makeQuestion("funding-other-coin", "funding", {
    en: ["How is BTC funding?", "what about SOL?"],
    ko: ["비트코인 펀딩비 어때?", "솔라나는?"],
    ru: ["Какой фандинг у биткоина?", "а у соланы?"],
    requiredCalls: [["get_derivatives", { coin: "SOL" }]],
    quotedValues: [["get_derivatives", "funding_rate_pct"]]
  }),
  makeQuestion("open-interest", "openInterest", {
    en: "How has open interest in XRP changed today, and who is crowded, longs or shorts?",
    ko: "리플 미결제약정 오늘 어떻게 변했어? 롱숏 쏠림은?",
    ru: "Как изменился открытый интерес по риплу и кого больше, лонгов или шортов?",
    requiredCalls: [["get_derivatives", { coin: "XRP" }]],
    quotedValues: [["get_derivatives", "oi_change_24h_coin_pct"], ["get_derivatives", "long_short_ratio"]]
  }),
  makeQuestion("basis-btc", "basis", {
    en: "Is the bitcoin futures basis in contango?",
    ko: "비트코인 선물 베이시스 콘탱고야?",
    ru: "Базис фьючерсов биткоина в контанго?",
    requiredCalls: [["get_basis", { coin: "BTC" }]],
    quotedValues: [["get_basis", "perp_basis_pct"], ["get_basis", "futures.0.annualised_pct"]]
  }),
  makeQuestion("liquidations-eth", "liquidations", {
    en: "How much was liquidated in ETH over the last 12 hours?",
    ko: "최근 12시간 이더리움 청산 규모 알려줘",
    ru: "Сколько ликвидировали по эфиру за последние 12 часов?",
    requiredCalls: [["get_liquidations_history", { coin: "ETH", hours: 12 }]],
    quotedValues: [["get_liquidations", "long_usd"], ["get_liquidations", "short_usd"]]
  }),
  makeQuestion("liquidation-map", "liquidations", {
    en: "Where would liquidations cluster for BTC?",
    ko: "비트코인 청산 몰린 구간은 어디야?",
    ru: "Где скопились ликвидации по биткоину?",
    requiredCalls: [["get_liquidation_map", { coin: "BTC" }]],
    quotedValues: [["get_liquidation_map", "nearest_above.price"], ["get_liquidation_map", "nearest_below.price"]]
  }),
  makeQuestion("iv-btc", "impliedVolatility", {
    en: "Are BTC options expensive? What are IV and skew?",
    ko: "비트코인 옵션 비싼 편이야? 내재변동성이랑 스큐 알려줘",
    ru: "Дороги ли опционы на биткоин? Какие IV и скос?",
    requiredCalls: [["get_iv_metrics", { coin: "BTC" }]],
    quotedValues: [["get_iv_metrics", "atm_iv_pct.30d"], ["get_iv_metrics", "skew_25d"]]
  }),
  makeQuestion("max-pain", "optionsPositioning", {
    en: "Where's max pain and the gamma flip for ETH options?",
    ko: "이더리움 옵션 맥스페인이랑 감마 플립 어디야?",
    ru: "Где max pain и гамма-флип по опционам эфира?",
    requiredCalls: [["get_options_positioning", { coin: "ETH" }]],
    quotedValues: [["get_options_positioning", "put_call_ratio_oi"], ["get_options_positioning", "gex_usd_per_1pct"]]
  }),
  makeQuestion("option-strategy", "optionStrategy", {
    en: "Which options strategy fits a bullish view on BTC?",
    ko: "비트코인 강세 관점에 맞는 옵션 전략 추천해줘",
    ru: "Какая опционная стратегия подойдет под бычий взгляд на биткоин?",
    requiredCalls: [["get_option_strategy", { coin: "BTC", view: "bullish" }]],
    quotedValues: [["get_option_strategy", "structures.0.max_loss_usd"]]
  }),
  makeQuestion("option-flow", "optionFlow", {
    en: "What does BTC options flow look like?",
    ko: "비트코인 옵션 플로우 어때?",
    ru: "Какой поток по опционам биткоина?",
    requiredCalls: [["get_option_flow", { coin: "BTC" }]],
    quotedValues: [["get_option_flow", "call_put_premium_ratio"]]
  }),
  makeQuestion("onchain-whales", "onchain", {
    en: "Are whales sending BTC to exchanges?",
    ko: "고래들이 비트코인을 거래소로 보내고 있어?",
    ru: "Киты заводят биткоин на биржи?",
    requiredCalls: [["get_whale_transfers", { coin: "BTC" }]],
    quotedValues: [["get_whale_transfers", "exchange_net_usd"]]
  }),
  makeQuestion("stablecoins", "stablecoins", {
    en: "How did stablecoin supply change over 30 days?",
    ko: "30일 동안 스테이블코인 공급은 어떻게 변했어?",
    ru: "Как изменилось предложение стейблкоинов за 30 дней?",
    requiredCalls: [["get_stablecoin_flows", { days: 30 }]],
    quotedValues: [["get_stablecoin_flows", "change_pct"], ["get_stablecoin_flows", "supply_usd"]]
  }),
  makeQuestion("token-pepe", "token", {
    en: "How many holders does PEPE have, and how concentrated is supply?",
    ko: "페페 홀더 수랑 공급 집중도 알려줘",
    ru: "Сколько держателей у PEPE и насколько сконцентрировано предложение?",
    requiredCalls: [["get_token", { coin: "PEPE" }]],
    quotedValues: [["get_token", "holders"], ["get_token", "top10_share_pct"]]
  }),
  makeQuestion("social-doge", "social", {
    en: "What's the social sentiment on DOGE, is it organic?",
    ko: "도지코인 소셜 여론 어때, 조작은 아니야?",
    ru: "Что пишут о догикоине в соцсетях, это не накрутка?",
    requiredCalls: [["get_social_momentum", { coin: "DOGE" }], ["get_authenticity", { coin: "DOGE" }]],
    quotedValues: [["get_social_momentum", "mentions_24h"]]
  }),
  makeQuestion("trending", "trending", {
    en: "Which coins are trending on social media?",
    ko: "요즘 소셜에서 뜨는 코인 뭐야?",
    ru: "Какие монеты сейчас в тренде в соцсетях?",
    requiredCalls: [["get_trending"]],
    quotedValues: [["get_trending", "coins.0.mentions_24h"]]
  }),
  makeQuestion("news-sol", "news", {
    en: "Any news on Solana?",
    ko: "솔라나 뉴스 있어?",
    ru: "Какие новости по солане?",
    requiredCalls: [["get_latest_news", { coin: "SOL" }]],
    quotedValues: [["get_news_sentiment", "sentiment"], ["get_news_sentiment", "n"]]
  }),
  makeQuestion("why-btc", "cause", {
    en: "Why is bitcoin moving today?",
    ko: "비트코인 오늘 왜 움직였어?",
    ru: "Почему биткоин сегодня двигается?",
    requiredCalls: [["get_price", { coin: "BTC" }], ["get_derivatives", { coin: "BTC" }], ["get_latest_news", {
      coin: "BTC"
    }]],
    quotedValues: [["get_price", "change_24h_pct"], ["get_derivatives", "oi_change_24h_coin_pct"]]
  })
]
