import type { Question } from "./question.ts"

/** A common breakout strategy that buys above the highest price of two days and sells below a moving average. */
const breakout = {
  entry: [{ left: "price", op: "cross_above", right: "highest(48)" }],
  exit: [{ left: "price", op: "cross_below", right: "ema(50)" }],
  side: "long",
  stop_atr: 2
}

export const optionQuestions: ReadonlyArray<Question> = [
  {
    question: "Is ETH's volatility cheap?",
    calls: [
      { resultName: "i", tool: "get_iv_metrics", args: { coin: "ETH" } },
      { resultName: "r", tool: "get_volatility", args: { coin: "ETH" } },
      { resultName: "b", tool: "get_options_backtest", args: { coin: "ETH" } }
    ],
    answer: "Compared with the past year, a little: the implied volatility for thirty days is " +
      "{i.atm_iv_pct.30d|1} %, and only {i.iv_percentile|0} % of the days of the year had a lower one. " +
      "Compared with the actual price changes, no: the realised volatility was {i.realised_30d_pct|1} %, at " +
      "percentile {r.realised_30d_percentile|0} of its own year, so sellers still earn {i.iv_minus_rv|1} " +
      "points. Buying two weeks of volatility had a profit in {b.overall.win_rate|%0} % of {b.overall.n|0} " +
      "past windows, with a mean loss of {b.overall.mean_edge_vol_pts|1} points. A low volatility is not " +
      "cheap here.",
    claims: [
      ["i.iv_percentile", "<", 40],
      ["i.iv_minus_rv", ">", 5],
      ["b.overall.mean_edge_vol_pts", "<", 0],
      ["b.overall.win_rate", "<", 0.5]
    ]
  },
  {
    question: "What does a BTC call spread into Christmas cost, and when does it pay?",
    calls: [{
      resultName: "s",
      tool: "get_option_structure",
      args: {
        coin: "BTC",
        expiry: "2026-12-25",
        legs: [{ type: "call", strike: 90_000, side: "buy" }, { type: "call", strike: 100_000, side: "sell" }]
      }
    }],
    answer: "The {s.legs[0].strike|0}/{s.legs[1].strike|0} call spread costs ${s.debit_usd|0} at the quotes and " +
      "${s.mid_debit_usd|0} at the mid prices. It breaks even at {s.break_evens[0]|0}. Its maximum profit " +
      "is ${s.max_profit_usd|0}, and its maximum loss is its cost. With a log-normal price, it ends in " +
      "profit with a probability of {s.probability_of_profit|%0} %. Its delta is {s.delta|2} BTC, and it " +
      "loses ${s.theta_usd_per_day|0} of time value per day. The implied volatility of the long leg is " +
      "{s.legs[0].iv_pct|1} %, and of the short leg {s.legs[1].iv_pct|1} %.",
    claims: [["s.theta_usd_per_day", "<", 0], ["s.probability_of_profit", "<", 0.5], ["s.delta", ">", 0]]
  },
  {
    question: "Will options hold BTC in place into Friday's expiry?",
    calls: [{ resultName: "g", tool: "get_options_positioning", args: { coin: "BTC", expiry: "2026-11-27" } }],
    answer: "Probably, if dealers have the positions that are usually assumed (long calls and short puts; the " +
      "actual positions are not published). Dealers are then long gamma: for each percent that the price " +
      "rises they sell {g.gex_usd_per_1pct|usd} of delta, and for each percent that it falls they buy as " +
      "much. The price of {g.spot|0} is close to {g.call_wall|0}, which is both the call wall and the put " +
      "wall. Below {g.gamma_flip|0} the sign changes, and hedging amplifies price changes instead of " +
      "damping them. Max pain is near the price too, at {g.max_pain[0].strike|0}.",
    claims: [
      ["g.gex_usd_per_1pct", ">", 0],
      ["g.gamma_flip", "<", "g.spot"],
      ["g.max_pain[0].strike", "=", 89_000],
      ["g.call_wall", "=", 90_000],
      ["g.put_wall", "=", 90_000]
    ]
  },
  {
    question: "Who deals in ETH options today: bulls or hedgers?",
    calls: [
      { resultName: "o", tool: "get_option_flow", args: { coin: "ETH" } },
      { resultName: "v", tool: "get_vol_surface", args: { coin: "ETH" } }
    ],
    answer: "Bulls, measured by premium. Takers bought {o.calls.bought_usd|usd} of calls and sold " +
      "{o.calls.sold_usd|usd}. They bought {o.puts.bought_usd|usd} of puts and sold {o.puts.sold_usd|usd}. " +
      "All these trades together add a net delta of {o.net_delta_usd|usd}. The largest trade is " +
      "{o.trades[0].size|0} contracts of {o.trades[0].instrument|text}, bought for " +
      "{o.trades[0].premium_usd|usd}. The volatility surface agrees: the implied volatility of a thirty-day call with a delta of a quarter is {v.constant_maturity[days=30].rr25|1} points higher than that of the put.",
    claims: [
      ["o.calls.sold_usd", "<", "o.calls.bought_usd"],
      ["o.puts.bought_usd", "<", "o.puts.sold_usd"],
      ["o.net_delta_usd", ">", 0],
      ["o.trades[0].side", "=", "buy"],
      ["v.constant_maturity[days=30].rr25", ">", 0]
    ]
  },
  {
    question: "Does my breakout rule survive costs and data that it has not seen?",
    calls: [
      { resultName: "b", tool: "run_backtest", args: { coin: "BTC", strategy: breakout, bars: 6000 } },
      {
        resultName: "w",
        tool: "run_walk_forward",
        args: { coin: "BTC", strategy: breakout, ranges: [{ path: "stop_atr", values: [1.5, 2, 3] }], bars: 6000 }
      },
      { resultName: "m", tool: "run_monte_carlo", args: { coin: "BTC", strategy: breakout, bars: 6000 } }
    ],
    answer: "No. After costs, {b.metrics.trades|0} trades lost {b.metrics.return|%2} %. Buying and holding lost " +
      "{b.buy_and_hold.return|%1} %, with a drawdown of {b.buy_and_hold.max_drawdown_pct|0} %. Funding " +
      "alone cost {b.funding_pct|1} %. Chosen on earlier data and tested on later data, the rule lost " +
      "{w.out_of_sample.return|%1} %, while holding lost {w.buy_and_hold.return|%1} %. In {m.paths|0} paths " +
      "with shuffled blocks, it loses in {m.loss_probability|%0} % of the paths, and in one of twenty it " +
      "loses {m.percentiles.return.p5|%0} % or more. The only advantage of the rule is that it loses less " +
      "than holding.",
    claims: [
      ["b.metrics.return", "<", 0],
      ["b.funding_pct", ">", 0],
      ["b.buy_and_hold.return", "<", 0],
      ["w.out_of_sample.return", "<", 0],
      ["w.buy_and_hold.return", "<", 0],
      ["m.loss_probability", ">", 0.4],
      ["m.percentiles.return.p5", "<", 0],
      ["b.metrics.return", ">", "b.buy_and_hold.return"]
    ]
  },
  {
    question: "Does SOL fall harder with BTC than it rises with it?",
    calls: [
      { resultName: "c", tool: "get_correlation", args: { coins: ["BTC", "SOL"] } },
      {
        resultName: "r",
        tool: "run_code",
        args: {
          code: [
            "const coins = await Promise.all(['BTC', 'SOL'].map((coin) => candles(coin, '1h', 722)))",
            "const [x, y] = coins.map((all) => all.slice(1, -1).map((bar, i) => Math.log(bar.close / all[i].close)))",
            "const mean = (of) => of.reduce((sum, one) => sum + one, 0) / of.length",
            "const beta = (which) => {",
            "  const rows = x.map((_, i) => i).filter((i) => which(x[i]))",
            "  const [a, b] = [mean(rows.map((i) => x[i])), mean(rows.map((i) => y[i]))]",
            "  return mean(rows.map((i) => (x[i] - a) * (y[i] - b))) / mean(rows.map((i) => (x[i] - a) ** 2))",
            "}",
            "return { n: x.length, down: beta((r) => r < 0), up: beta((r) => r > 0) }"
          ].join("\n")
        }
      }
    ],
    answer: "No: over {r.value.n|0} hours, the beta of SOL is {r.value.down|2} in hours in which BTC fell, and " +
      "{r.value.up|2} in hours in which BTC rose. Over all hours of the month, the beta is " +
      "{c.beta_to_btc[coin=SOL].beta|2} and the correlation {c.mean_correlation|2}. Falls of BTC need no " +
      "larger hedge.",
    claims: [["r.value.down", ">", 0.8], ["r.value.up", ">", "r.value.down"], ["r.value.n", "=", 720], [
      "c.n",
      "=",
      720
    ]]
  }
]
