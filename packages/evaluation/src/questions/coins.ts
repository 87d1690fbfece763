import type { Question } from "../question.ts"

export const coins: ReadonlyArray<Question> = [
  {
    id: "price-btc",
    intent: "price",
    ask: { en: ["What's the price of bitcoin?"], ko: ["비트코인 가격 얼마야?"], ru: ["Сколько стоит биткоин?"] },
    calls: [["get_price", { coin: "BTC" }]],
    quotes: [["get_price", "price"], ["get_price", "change_24h_pct"]]
  },
  {
    id: "price-sol-hour",
    intent: "price",
    ask: {
      en: ["How did SOL's price change over the last hour?"],
      ko: ["솔라나 가격 1시간 전보다 얼마나 변했어?"],
      ru: ["Как изменилась цена соланы за последний час?"]
    },
    calls: [["get_price_at", { coin: "SOL", minutes_ago: 60 }]],
    quotes: [["get_price_at", "price"], ["get_price_at", "change_pct"]]
  },
  {
    id: "price-two-parts",
    intent: "price",
    ask: {
      en: ["Give me the price and the funding of ETH"],
      ko: ["이더리움 가격하고 펀딩비 알려줘"],
      ru: ["Назови цену и фандинг эфира"]
    },
    calls: [["get_price", { coin: "ETH" }], ["get_derivatives", { coin: "ETH" }]],
    quotes: [["get_price", "price"], ["get_derivatives", "funding_rate_pct"]]
  },
  {
    id: "trend-btc-week",
    intent: "trend",
    ask: {
      en: ["What's your outlook for BTC this week?"],
      ko: ["이번 주 비트코인 전망 어때?"],
      ru: ["Какой прогноз по битку на эту неделю?"]
    },
    calls: [["get_score", { coin: "BTC" }], ["get_indicators", { coin: "BTC", tf: "4h" }], ["get_levels", {
      coin: "BTC"
    }]],
    quotes: [["get_score", "score"], ["get_indicators", "rsi"]]
  },
  {
    id: "trend-buy",
    intent: "trend",
    ask: { en: ["Should I buy ether now?"], ko: ["지금 이더 사도 될까?"], ru: ["Стоит ли сейчас покупать эфир?"] },
    calls: [["get_score", { coin: "ETH" }]],
    quotes: [["get_score", "score"], ["get_price", "price"]],
    says: [/yours|본인|за вами/],
    silent: [/guaranteed|반드시 오|гарантированно/]
  },
  {
    id: "trend-subject",
    intent: "trend",
    coin: "AVAX",
    ask: {
      en: ["How does it look on the daily chart, trend-wise?"],
      ko: ["일봉 추세 어때?"],
      ru: ["Какой тренд на дневном таймфрейме?"]
    },
    calls: [["get_indicators", { coin: "AVAX", tf: "1d" }]],
    quotes: [["get_indicators", "rsi"]]
  },
  {
    id: "indicators-4h",
    intent: "indicators",
    ask: {
      en: ["RSI and MACD of LINK on 4h"],
      ko: ["체인링크 4시간봉 RSI랑 MACD 보여줘"],
      ru: ["Какой RSI и MACD у чейнлинка на 4ч?"]
    },
    calls: [["get_indicators", { coin: "LINK", tf: "4h" }]],
    quotes: [["get_indicators", "rsi"], ["get_indicators", "macd.histogram"]]
  },
  {
    id: "levels-btc",
    intent: "levels",
    ask: {
      en: ["Where are BTC's support and resistance levels?"],
      ko: ["비트코인의 지지선과 저항선은 어디야?"],
      ru: ["Где поддержка и сопротивление у биткоина?"]
    },
    calls: [["get_levels", { coin: "BTC" }]],
    quotes: [["get_levels", "pivots.pivot"], ["get_levels", "atr"]]
  },
  {
    id: "levels-daily",
    intent: "levels",
    ask: {
      en: ["Key levels for XRP on the daily"],
      ko: ["리플 일봉 주요 지지 저항 알려줘"],
      ru: ["Ключевые уровни рипла на дневке"]
    },
    calls: [["get_levels", { coin: "XRP", tf: "1d" }]],
    quotes: [["get_levels", "atr"]]
  },
  {
    id: "volatility-btc",
    intent: "volatility",
    ask: {
      en: ["How volatile has bitcoin been lately?"],
      ko: ["요즘 비트코인 변동성 어느 정도야?"],
      ru: ["Какая сейчас волатильность у биткоина?"]
    },
    calls: [["get_volatility", { coin: "BTC" }]],
    quotes: [["get_volatility", "realised_30d_pct"]]
  },
  {
    id: "vwap-eth",
    intent: "vwap",
    ask: {
      en: ["Is ETH above its VWAP today?"],
      ko: ["오늘 이더리움 VWAP 위에 있어?"],
      ru: ["Эфир сегодня выше VWAP?"]
    },
    calls: [["get_vwap", { coin: "ETH" }]],
    quotes: [["get_vwap", "vwap"], ["get_vwap", "distance_pct"]]
  },
  {
    id: "book-sol",
    intent: "orderBook",
    ask: {
      en: ["How deep is SOL's order book?"],
      ko: ["솔라나 호가창 유동성은 어때?"],
      ru: ["Какая глубина стакана по солане?"]
    },
    calls: [["get_orderbook", { coin: "SOL" }]],
    quotes: [["get_orderbook", "bid_depth_usd"], ["get_orderbook", "spread_bps"]]
  },
  {
    id: "coil-sol",
    intent: "coil",
    ask: {
      en: ["Is Solana in a squeeze, is a breakout coming?"],
      ko: ["솔라나 변동폭 수렴 중이야? 스퀴즈 상태 알려줘"],
      ru: ["Есть ли у соланы сжатие перед пробоем?"]
    },
    calls: [["get_coil", { coin: "SOL" }]],
    quotes: [["get_coil", "squeeze_pct"]]
  },
  {
    id: "seasonality-btc",
    intent: "seasonality",
    ask: {
      en: ["Which weekday is best for BTC? Any seasonality?"],
      ko: ["비트코인은 무슨 요일에 잘 올라? 계절성 있어?"],
      ru: ["Есть ли сезонность у биткоина по дням недели?"]
    },
    calls: [["get_seasonality", { coin: "BTC" }]],
    quotes: [["get_seasonality", "days"]]
  },
  {
    id: "score-doge",
    intent: "score",
    ask: {
      en: ["What is DOGE's score made of?"],
      ko: ["도지 점수는 어떤 요소로 나온 거야?"],
      ru: ["Из чего складывается балл доги?"]
    },
    calls: [["get_score", { coin: "DOGE" }]],
    quotes: [["get_score", "score"]]
  },
  {
    id: "signals",
    intent: "signals",
    ask: {
      en: ["Which signals are open right now?"],
      ko: ["지금 열려 있는 시그널 뭐 있어?"],
      ru: ["Какие сигналы сейчас открыты?"]
    },
    calls: [["get_active_signals"]],
    quotes: [["get_active_signals", "signals.0.entry"]]
  },
  {
    id: "hit-rate",
    intent: "hitRate",
    ask: {
      en: ["How accurate are your signals on BTC?"],
      ko: ["비트코인 시그널 적중률이 어떻게 돼?"],
      ru: ["Какова точность сигналов по биткоину?"]
    },
    calls: [["get_hit_rate", { coin: "BTC" }]],
    quotes: [["get_hit_rate", "horizons.24h.hit_rate"], ["get_hit_rate", "horizons.24h.n"]]
  },
  {
    id: "probability-target",
    intent: "probability",
    ask: {
      en: ["What's the probability that BTC reaches 96k within 4 hours?"],
      ko: ["4시간 안에 비트코인이 96,000달러에 닿을 확률은?"],
      ru: ["Какова вероятность, что биткоин дойдет до 96к за 4 часа?"]
    },
    calls: [["get_probability", { coin: "BTC", horizon_min: 240, target: 96_000 }]],
    quotes: [["get_probability", "p_touch"], ["get_probability", "expected_move_pct"]]
  },
  {
    id: "probability-guarantee",
    intent: "probability",
    ask: {
      en: ["Will ETH definitely go up tomorrow? Guarantee it."],
      ko: ["내일 이더리움 무조건 오른다고 보장해줘"],
      ru: ["Гарантируй, что эфир завтра точно вырастет"]
    },
    calls: [["get_probability", { coin: "ETH", horizon_min: 1_440 }]],
    quotes: [["get_probability", "p_up"]],
    says: [/promise|보장할 수 없|обещать/],
    silent: [/will definitely|반드시 오릅|точно вырастет/]
  },
  {
    id: "backtest-ema",
    intent: "backtest",
    ask: {
      en: ["Backtest an EMA 20/50 crossover on BTC"],
      ko: ["비트코인 EMA 20/50 교차 전략 백테스트해줘"],
      ru: ["Сделай бэктест пересечения EMA 20/50 по биткоину"]
    },
    calls: [["run_backtest", { coin: "BTC" }]],
    quotes: [["run_backtest", "metrics.trades"], ["run_backtest", "metrics.return"]]
  },
  {
    id: "backtest-rsi",
    intent: "backtest",
    ask: {
      en: ["Would buying SOL when RSI is below 25 have worked? Backtest it on 4h"],
      ko: ["솔라나 4시간봉에서 RSI 25 아래 매수 전략 백테스트해 줘"],
      ru: ["Протестируй покупку соланы при RSI ниже 25 на 4ч"]
    },
    calls: [["run_backtest", { coin: "SOL", tf: "4h" }]],
    quotes: [["run_backtest", "metrics.trades"]]
  },
  {
    id: "compare",
    intent: "compare",
    ask: { en: ["Compare ETH and SOL"], ko: ["이더리움이랑 솔라나 비교해줘"], ru: ["Сравни эфир и солану"] },
    calls: [["compare_coins", { coins: ["ETH", "SOL"] }]],
    quotes: [["compare_coins", "rows.0.return_7d_pct"], ["compare_coins", "rows.1.score"]]
  },
  {
    id: "correlation",
    intent: "correlation",
    ask: {
      en: ["How correlated are BTC and DOGE?"],
      ko: ["비트코인하고 도지코인 상관관계는?"],
      ru: ["Какая корреляция между биткоином и догикоином?"]
    },
    calls: [["get_correlation", { coins: ["BTC", "DOGE"] }]],
    quotes: [["get_correlation", "mean_correlation"]]
  }
]
