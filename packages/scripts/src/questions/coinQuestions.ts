import { numberAt, type Question } from "./question.ts"

export const coinQuestions: ReadonlyArray<Question> = [
  {
    question: "Is BTC's funding stretched?",
    calls: [
      { resultName: "b", tool: "get_derivatives", args: { coin: "BTC" } },
      { resultName: "s", tool: "get_derivatives", args: { coin: "SOL" } },
      { resultName: "v", tool: "get_funding_comparison", args: { coin: "SOL" } }
    ],
    answer: "Yes: {b.funding_rate_pct|4} % for eight hours is {b.funding_annualised_pct|0} % a year, and " +
      "{b.funding_percentile_90d|0} % of the payments of the last three months were lower. The funding of " +
      "SOL is stretched too: {s.funding_rate_pct|4} % is {s.funding_annualised_pct|0} % a year, at " +
      "percentile {s.funding_percentile_90d|0}. No single venue causes this: weighted by open interest, " +
      "longs pay {v.weighted_annualised_pct|0} % a year over all venues, and the difference between the " +
      "most expensive and the cheapest venue is {v.spread_annualised_pct|1} points. Open interest fell by " +
      "{s.oi_change_24h_coin_pct|1} % in coins over the day, so the payers are old longs and not new ones.",
    claims: [
      ["b.funding_percentile_90d", ">", 90],
      ["b.funding_rate_pct", ">", 0],
      ["b.funding_interval_hours", "=", 8],
      ["s.funding_percentile_90d", ">", 95],
      ["s.oi_change_24h_coin_pct", "<", 0],
      ["v.venues[-1].annualised_pct", ">", 30]
    ]
  },
  {
    question: "Is this rally bought or spoken?",
    calls: [
      { resultName: "p", tool: "get_price", args: { coin: "PEPE" } },
      { resultName: "m", tool: "get_social_momentum", args: { coin: "PEPE" } },
      { resultName: "a", tool: "get_authenticity", args: { coin: "PEPE" } },
      { resultName: "o", tool: "get_onchain", args: { coin: "PEPE" } }
    ],
    answer: "Bought, but only a little. PEPE is up {p.change_24h_pct|1} % in a day, while its mentions went from " +
      "{m.mentions_prior_24h|0} to {m.mentions_24h|0}. The talk is {a.label|text}: only {a.duplication|%0} " +
      "% of {a.n|0} posts are copies. On decentralised exchanges, purchases exceeded sales by " +
      "{o.net_flow_usd|usd}, and purchases are {o.buy_share_pct|1} % of the volume. That is too little to " +
      "explain the rally.",
    claims: [
      ["p.change_24h_pct", ">", 5],
      ["m.trajectory", "=", "steady"],
      ["a.label", "=", "organic"],
      ["o.net_flow_usd", ">", 0]
    ]
  },
  {
    question: "Where is BTC's leverage, above the price or below?",
    calls: [
      { resultName: "m", tool: "get_liquidation_map", args: { coin: "BTC" } },
      { resultName: "l", tool: "get_liquidations_history", args: { coin: "BTC", hours: 24, top: 1 } }
    ],
    answer: "Above. According to the model, a rise of two percent would liquidate " +
      "{m.cumulative_usd[within_pct=2].above|usd} of shorts, and a fall of two percent " +
      "{m.cumulative_usd[within_pct=2].below|usd} of longs. The nearest longs are at " +
      "{m.nearest_below.price|0}, {m.nearest_below.distance_pct|1} % away. The model is an estimate and " +
      "covers {m.oi_coverage_pct|0} % of open interest. The actual liquidations of the last day are " +
      "{l.totals.long_usd|usd} of longs and {l.totals.short_usd|usd} of shorts.",
    claims: [
      ["m.cumulative_usd[within_pct=2].below", "<", "m.cumulative_usd[within_pct=2].above"],
      ["l.coverage", "=", "whole"]
    ]
  },
  {
    question: "Can I sell a million dollars of SOL at market?",
    calls: [{ resultName: "b", tool: "get_orderbook", args: { coin: "SOL", sizes_usd: [250_000, 1_000_000] } }],
    answer: "Yes, at {b.slippage[-1].sell_bps|1} basis points below the mid price. Buying the same amount costs " +
      "{b.slippage[-1].buy_bps|1} basis points. The order book is unfavourable for a seller: within one " +
      "percent of the price there are {b.bid_depth_usd|usd} of bids and {b.ask_depth_usd|usd} of asks, an " +
      "imbalance of {b.imbalance_pct|0} % towards the asks. Selling a quarter costs only " +
      "{b.slippage[0].sell_bps|1} basis points, so divide the order.",
    claims: [
      ["b.imbalance_pct", "<", -20],
      ["b.slippage[0].sell_bps", "<", "b.slippage[-1].sell_bps"],
      ["b.slippage[-1].buy_bps", "<", "b.slippage[-1].sell_bps"]
    ]
  },
  {
    question: "Is BTC dear today, and where would it stop?",
    calls: [
      { resultName: "v", tool: "get_vwap", args: { coin: "BTC" } },
      { resultName: "p", tool: "get_volume_profile", args: { coin: "BTC" } },
      { resultName: "l", tool: "get_levels", args: { coin: "BTC", tf: "1h" } },
      { resultName: "i", tool: "get_indicators", args: { coin: "BTC", tf: "1h" } }
    ],
    answer: "It is expensive for the day: {v.price|0} is {v.distance_sd|1} standard deviations above the day's " +
      "VWAP of {v.vwap|0}, and above the value area, which ends at {p.value_area.high|0}. The next " +
      "resistance is {l.resistances[0].price|0}, which the price touched {l.resistances[0].touches|0} " +
      "times. The next support is {l.supports[0].price|0}, which held {l.supports[0].touches|0} times, and " +
      "the price with the most volume is {p.poc|0}. An RSI of {i.rsi|0} is not overbought, so BTC is " +
      "expensive only within the day.",
    claims: [
      ["v.distance_sd", ">", 2],
      ["v.price", ">", "p.value_area.high"],
      ["l.resistances[0].price", ">", "v.price"],
      ["i.rsi", "<", 70]
    ]
  },
  {
    question: "A binary pays two and a half times the stake if BTC is above 91,000 in four hours. Take it?",
    calls: [
      { resultName: "p", tool: "get_probability", args: { coin: "BTC", horizon_min: 240, target: 91_000 } },
      {
        resultName: "e",
        tool: "get_binary_ev",
        args: (known) => ({ p_win: numberAt(known, "p.p_above"), payout_pct: 250 })
      }
    ],
    answer: "No. From {p.price|0}, with a volatility of {p.sigma_annualised_pct|0} % a year, BTC ends above " +
      "{p.target|0} with a probability of {p.p_above|%1} %, but the bet needs {e.break_even_win_rate|%1} % " +
      "to break even. It loses {e.ev_per_unit|%1} % of the stake on average, and the Kelly criterion stakes " +
      "nothing. The probability that the price touches the level at any time on the way is different: " +
      "{p.p_touch|%0} %.",
    claims: [["e.ev_per_unit", "<", 0], ["e.kelly_fraction", "=", 0]]
  },
  {
    question: "Are coins going to the exchanges, and is there money to buy them?",
    calls: [
      { resultName: "w", tool: "get_whale_transfers", args: { coin: "BTC" } },
      { resultName: "s", tool: "get_stablecoin_flows", args: { days: 7 } }
    ],
    answer: "Coins go to the exchanges: of the large BTC transfers of the day, {w.exchange_in_usd|usd} went to " +
      "exchanges and {w.exchange_out_usd|usd} left exchanges, a net inflow of {w.exchange_net_usd|usd}. " +
      "There is less money to buy them: the supply of stablecoins shrank by {s.change_usd|usd} in a week " +
      "({s.change_pct|2} %). Stablecoins also left the exchanges: {s.exchange_net_usd|usd} net, of which " +
      "{s.coins[0].coin|text} is {s.coins[0].exchange_net_usd|usd}.",
    claims: [
      ["w.exchange_net_usd", ">", 0],
      ["s.change_usd", "<", 0],
      ["s.coins[0].exchange_net_usd", "<", 0],
      ["s.exchange_net_usd", "<", 0]
    ]
  },
  {
    question: "Does the crypto market want risk?",
    calls: [
      { resultName: "r", tool: "get_regime", args: {} },
      { resultName: "f", tool: "get_fear_greed", args: {} },
      { resultName: "d", tool: "get_dominance", args: {} },
      { resultName: "o", tool: "get_market_overview", args: {} }
    ],
    answer: "More than yesterday. The fear and greed index is {f.value|0} ({f.label|text}), {f.change_1d|1} " +
      "points higher than a day ago. In the regime, the trend is {r.trend|text}, the volatility is " +
      "{r.volatility|text} and the risk is `{r.risk|text}`. BTC has risen more than most other coins over " +
      "the season ({d.altseason_index|0} % of them rose more), and has {d.btc_pct|0} % of the total market " +
      "capitalisation. Today {o.breadth.advancing|0} coins rose and {o.breadth.declining|0} fell, and the " +
      "mean score is {o.breadth.mean_score|1}.",
    claims: [
      ["f.change_1d", ">", 0],
      ["r.risk", "=", "neutral"],
      ["d.altseason_index", "<", 50],
      ["o.breadth.mean_score", ">", 0]
    ]
  },
  {
    question: "How far can I trust the signals?",
    calls: [
      { resultName: "o", tool: "get_signal_outcomes", args: { top: 5 } },
      { resultName: "h", tool: "get_hit_rate", args: {} },
      { resultName: "c", tool: "get_short_calibration", args: { coin: "BTC", horizon_min: 60 } }
    ],
    answer: "Not enough for a trading system. Of {o.summary.n|0} signals that ended within a month, " +
      "{o.summary.take|0} reached their target and {o.summary.stop|0} their stop. {o.summary.win_rate|%0} % " +
      "had a profit (confidence interval: {o.summary.wilson_low|%0} to {o.summary.wilson_high|%0} %), and the " +
      "mean profit is {o.summary.mean_percent|3} % before fees. By direction alone, " +
      "{h.horizons.24h.hit_rate|%1} % of {h.horizons.24h.n|0} signals were right after a day. Simple rules " +
      "are no better: the momentum of an hour in BTC was right in {c.signals[name=momentum].win_rate|%1} % " +
      "of {c.signals[name=momentum].n|0} cases.",
    claims: [
      ["o.summary.wilson_high", "<", 0.5],
      ["o.summary.mean_percent", "<", 0.2],
      ["c.signals[name=momentum].wilson_low", "<", 0.5]
    ]
  }
]
