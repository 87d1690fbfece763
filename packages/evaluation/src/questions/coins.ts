import { makeQuestion, type Question } from "../question.ts"

export const coins: ReadonlyArray<Question> = [
  makeQuestion("price-btc", "price", {
    en: "What's the price of bitcoin?",
    ko: "비트코인 가격 얼마야?",
    ru: "Сколько стоит биткоин?",
    requiredCalls: [["get_price", { coin: "BTC" }]],
    quotedValues: [["get_price", "price"], ["get_price", "change_24h_pct"]]
  }),
  makeQuestion("price-sol-hour", "price", {
    en: "How did SOL's price change over the last hour?",
    ko: "솔라나 가격 1시간 전보다 얼마나 변했어?",
    ru: "Как изменилась цена соланы за последний час?",
    requiredCalls: [["get_price_at", { coin: "SOL", minutes_ago: 60 }]],
    quotedValues: [["get_price_at", "price"], ["get_price_at", "change_pct"]]
  }),
  makeQuestion("price-two-parts", "price", {
    en: "Give me the price and the funding of ETH",
    ko: "이더리움 가격하고 펀딩비 알려줘",
    ru: "Назови цену и фандинг эфира",
    requiredCalls: [["get_price", { coin: "ETH" }], ["get_derivatives", { coin: "ETH" }]],
    quotedValues: [["get_price", "price"], ["get_derivatives", "funding_rate_pct"]]
  }),
  makeQuestion("trend-btc-week", "trend", {
    en: "What's your outlook for BTC this week?",
    ko: "이번 주 비트코인 전망 어때?",
    ru: "Какой прогноз по битку на эту неделю?",
    requiredCalls: [["get_score", { coin: "BTC" }], ["get_indicators", { coin: "BTC", tf: "4h" }], ["get_levels", {
      coin: "BTC"
    }]],
    quotedValues: [["get_score", "score"], ["get_indicators", "rsi"]]
  }),
  makeQuestion("trend-buy", "trend", {
    en: "Should I buy ether now?",
    ko: "지금 이더 사도 될까?",
    ru: "Стоит ли сейчас покупать эфир?",
    requiredCalls: [["get_score", { coin: "ETH" }]],
    quotedValues: [["get_score", "score"], ["get_price", "price"]],
    requiredPatterns: [/yours|본인|за вами/],
    forbiddenPatterns: [/guaranteed|반드시 오|гарантированно/]
  }),
  makeQuestion("trend-subject", "trend", {
    en: "How does it look on the daily chart, trend-wise?",
    ko: "일봉 추세 어때?",
    ru: "Какой тренд на дневном таймфрейме?",
    coin: "AVAX",
    requiredCalls: [["get_indicators", { coin: "AVAX", tf: "1d" }]],
    quotedValues: [["get_indicators", "rsi"]]
  }),
  makeQuestion("indicators-4h", "indicators", {
    en: "RSI and MACD of LINK on 4h",
    ko: "체인링크 4시간봉 RSI랑 MACD 보여줘",
    ru: "Какой RSI и MACD у чейнлинка на 4ч?",
    requiredCalls: [["get_indicators", { coin: "LINK", tf: "4h" }]],
    quotedValues: [["get_indicators", "rsi"], ["get_indicators", "macd.histogram"]]
  }),
  makeQuestion("levels-btc", "levels", {
    en: "Where are BTC's support and resistance levels?",
    ko: "비트코인의 지지선과 저항선은 어디야?",
    ru: "Где поддержка и сопротивление у биткоина?",
    requiredCalls: [["get_levels", { coin: "BTC" }]],
    quotedValues: [["get_levels", "pivots.pivot"], ["get_levels", "atr"]]
  }),
  makeQuestion("levels-daily", "levels", {
    en: "Key levels for XRP on the daily",
    ko: "리플 일봉 주요 지지 저항 알려줘",
    ru: "Ключевые уровни рипла на дневке",
    requiredCalls: [["get_levels", { coin: "XRP", tf: "1d" }]],
    quotedValues: [["get_levels", "atr"]]
  }),
  makeQuestion("volatility-btc", "volatility", {
    en: "How volatile has bitcoin been lately?",
    ko: "요즘 비트코인 변동성 어느 정도야?",
    ru: "Какая сейчас волатильность у биткоина?",
    requiredCalls: [["get_volatility", { coin: "BTC" }]],
    quotedValues: [["get_volatility", "realised_30d_pct"]]
  }),
  makeQuestion("vwap-eth", "vwap", {
    en: "Is ETH above its VWAP today?",
    ko: "오늘 이더리움 VWAP 위에 있어?",
    ru: "Эфир сегодня выше VWAP?",
    requiredCalls: [["get_vwap", { coin: "ETH" }]],
    quotedValues: [["get_vwap", "vwap"], ["get_vwap", "distance_pct"]]
  }),
  makeQuestion("book-sol", "orderBook", {
    en: "How deep is SOL's order book?",
    ko: "솔라나 호가창 유동성은 어때?",
    ru: "Какая глубина стакана по солане?",
    requiredCalls: [["get_orderbook", { coin: "SOL" }]],
    quotedValues: [["get_orderbook", "bid_depth_usd"], ["get_orderbook", "spread_bps"]]
  }),
  makeQuestion("coil-sol", "coil", {
    en: "Is Solana in a squeeze, is a breakout coming?",
    ko: "솔라나 변동폭 수렴 중이야? 스퀴즈 상태 알려줘",
    ru: "Есть ли у соланы сжатие перед пробоем?",
    requiredCalls: [["get_coil", { coin: "SOL" }]],
    quotedValues: [["get_coil", "squeeze_pct"]]
  }),
  makeQuestion("seasonality-btc", "seasonality", {
    en: "Which weekday is best for BTC? Any seasonality?",
    ko: "비트코인은 무슨 요일에 잘 올라? 계절성 있어?",
    ru: "Есть ли сезонность у биткоина по дням недели?",
    requiredCalls: [["get_seasonality", { coin: "BTC" }]],
    quotedValues: [["get_seasonality", "days"]]
  }),
  makeQuestion("score-doge", "score", {
    en: "What is DOGE's score made of?",
    ko: "도지 점수는 어떤 요소로 나온 거야?",
    ru: "Из чего складывается балл доги?",
    requiredCalls: [["get_score", { coin: "DOGE" }]],
    quotedValues: [["get_score", "score"]]
  }),
  makeQuestion("signals", "signals", {
    en: "Which signals are open right now?",
    ko: "지금 열려 있는 시그널 뭐 있어?",
    ru: "Какие сигналы сейчас открыты?",
    requiredCalls: [["get_active_signals"]],
    quotedValues: [["get_active_signals", "signals.0.entry"]]
  }),
  makeQuestion("hit-rate", "hitRate", {
    en: "How accurate are your signals on BTC?",
    ko: "비트코인 시그널 적중률이 어떻게 돼?",
    ru: "Какова точность сигналов по биткоину?",
    requiredCalls: [["get_hit_rate", { coin: "BTC" }]],
    quotedValues: [["get_hit_rate", "horizons.24h.hit_rate"], ["get_hit_rate", "horizons.24h.n"]]
  }),
  makeQuestion("probability-target", "probability", {
    en: "What's the probability that BTC reaches 96k within 4 hours?",
    ko: "4시간 안에 비트코인이 96,000달러에 닿을 확률은?",
    ru: "Какова вероятность, что биткоин дойдет до 96к за 4 часа?",
    requiredCalls: [["get_probability", { coin: "BTC", horizon_min: 240, target: 96_000 }]],
    quotedValues: [["get_probability", "p_touch"], ["get_probability", "expected_move_pct"]]
  }),
  makeQuestion("probability-guarantee", "probability", {
    en: "Will ETH definitely go up tomorrow? Guarantee it.",
    ko: "내일 이더리움 무조건 오른다고 보장해줘",
    ru: "Гарантируй, что эфир завтра точно вырастет",
    requiredCalls: [["get_probability", { coin: "ETH", horizon_min: 1_440 }]],
    quotedValues: [["get_probability", "p_up"]],
    requiredPatterns: [/promise|보장할 수 없|обещать/],
    forbiddenPatterns: [/will definitely|반드시 오릅|точно вырастет/]
  }),
  makeQuestion("backtest-ema", "backtest", {
    en: "Backtest an EMA 20/50 crossover on BTC",
    ko: "비트코인 EMA 20/50 교차 전략 백테스트해줘",
    ru: "Сделай бэктест пересечения EMA 20/50 по биткоину",
    requiredCalls: [["run_backtest", { coin: "BTC" }]],
    quotedValues: [["run_backtest", "metrics.trades"], ["run_backtest", "metrics.return"]]
  }),
  makeQuestion("backtest-rsi", "backtest", {
    en: "Would buying SOL when RSI is below 25 have worked? Backtest it on 4h",
    ko: "솔라나 4시간봉에서 RSI 25 아래 매수 전략 백테스트해 줘",
    ru: "Протестируй покупку соланы при RSI ниже 25 на 4ч",
    requiredCalls: [["run_backtest", { coin: "SOL", tf: "4h" }]],
    quotedValues: [["run_backtest", "metrics.trades"]]
  }),
  makeQuestion("compare", "compare", {
    en: "Compare ETH and SOL",
    ko: "이더리움이랑 솔라나 비교해줘",
    ru: "Сравни эфир и солану",
    requiredCalls: [["compare_coins", { coins: ["ETH", "SOL"] }]],
    quotedValues: [["compare_coins", "rows.0.return_7d_pct"], ["compare_coins", "rows.1.score"]]
  }),
  makeQuestion("correlation", "correlation", {
    en: "How correlated are BTC and DOGE?",
    ko: "비트코인하고 도지코인 상관관계는?",
    ru: "Какая корреляция между биткоином и догикоином?",
    requiredCalls: [["get_correlation", { coins: ["BTC", "DOGE"] }]],
    quotedValues: [["get_correlation", "mean_correlation"]]
  })
]
