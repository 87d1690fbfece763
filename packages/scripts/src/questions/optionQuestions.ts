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
    answer:
      "Against its year, a little: thirty days are implied at {i.atm_iv_pct.30d|1} %, and only {i.iv_percentile|0} % of the year's " +
      "days were lower. Against what the coin does, no: it realised {i.realised_30d_pct|1} %, at percentile " +
      "{r.realised_30d_percentile|0} of its own year, so that sellers are still paid {i.iv_minus_rv|1} points. Buying two weeks " +
      "of it gained in {b.overall.win_rate|%0} % of {b.overall.n|0} past windows, {b.overall.mean_edge_vol_pts|1} points " +
      "short in the mean. Low is not cheap here.",
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
      "${s.mid_debit_usd|0} at mid. It breaks even at {s.break_evens[0]|0}, makes ${s.max_profit_usd|0} at most and loses what " +
      "it cost; a log-normal price ends in profit {s.probability_of_profit|%0} % of the time. You are long {s.delta|2} BTC, and pay " +
      "${s.theta_usd_per_day|0} a day to wait. The long leg has {s.legs[0].iv_pct|1} % of volatility and the short one {s.legs[1].iv_pct|1} %.",
    claims: [["s.theta_usd_per_day", "<", 0], ["s.probability_of_profit", "<", 0.5], ["s.delta", ">", 0]]
  },
  {
    question: "Will options hold BTC in place into Friday's expiry?",
    calls: [{ resultName: "g", tool: "get_options_positioning", args: { coin: "BTC", expiry: "2026-11-27" } }],
    answer:
      "Rather so, if dealers hold what is commonly supposed (long calls, short puts; nobody publishes it): they are long gamma, " +
      "{g.gex_usd_per_1pct|usd} of delta to sell for each percent up and to buy for each percent down. The price, {g.spot|0}, " +
      "is close to {g.call_wall|0}, which is both the call wall and the put wall. Under {g.gamma_flip|0} the sign turns, and hedging " +
      "pushes where it now holds. Max pain is next to it, at {g.max_pain[0].strike|0}.",
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
    answer:
      "Bulls, by premium. Takers bought {o.calls.bought_usd|usd} of calls and sold {o.calls.sold_usd|usd}; of puts they " +
      "bought {o.puts.bought_usd|usd} and sold {o.puts.sold_usd|usd}. Together they are {o.net_delta_usd|usd} longer. " +
      "The largest trade is {o.trades[0].size|0} contracts of {o.trades[0].instrument|text}, bought for " +
      "{o.trades[0].premium_usd|usd}. The surface agrees with the premium: a thirty-day call of a quarter's delta costs " +
      "{v.constant_maturity[days=30].rr25|1} points more than its put.",
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
    answer: "No. After costs {b.metrics.trades|0} trades lose {b.metrics.return|%2} %, where holding lost " +
      "{b.buy_and_hold.return|%1} % with a drawdown of {b.buy_and_hold.max_drawdown_pct|0} %; funding alone took " +
      "{b.funding_pct|1} %. Chosen on one part and judged on the next it lost {w.out_of_sample.return|%1} % while holding lost " +
      "{w.buy_and_hold.return|%1} %. Shuffled in blocks it loses in {m.loss_probability|%0} % of {m.paths|0} paths, and one in twenty " +
      "loses {m.percentiles.return.p5|%0} % or more. It loses less than holding does, and that is all.",
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
    answer: "No: over {r.value.n|0} hours its beta is {r.value.down|2} in hours in which BTC fell and {r.value.up|2} " +
      "in those in which it rose. Over all hours of the month it is {c.beta_to_btc[coin=SOL].beta|2}, with a correlation of " +
      "{c.mean_correlation|2}. The falls need no larger hedge.",
    claims: [["r.value.down", ">", 0.8], ["r.value.up", ">", "r.value.down"], ["r.value.n", "=", 720], [
      "c.n",
      "=",
      720
    ]]
  }
]
