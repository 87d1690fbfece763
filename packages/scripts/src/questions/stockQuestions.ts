import type { Question } from "./question.ts"

export const stockQuestions: ReadonlyArray<Question> = [
  {
    question: "What did Samsung's foreigners do this week?",
    calls: [
      { resultName: "f", tool: "get_kr_investor_flows", args: { symbol: "삼성전자", days: 5 } },
      { resultName: "s", tool: "get_kr_stock", args: { symbol: "삼성전자" } },
      { resultName: "h", tool: "get_kr_stock_history", args: { symbol: "삼성전자", bars: 6 } },
      { resultName: "d", tool: "get_kr_disclosures", args: { symbol: "삼성전자", top: 1 } },
      { resultName: "n", tool: "get_latest_news", args: { symbol: "삼성전자", top: 1 } }
    ],
    answer: "They sold {f.totals.foreign|krw} in five sessions, {f.points[-1].foreign|krw} of it on " +
      "{f.points[-1].date|day}, when the stock closed {s.change_pct|1} % lower at ₩{s.price_krw|0}. " +
      "Individual investors sold {f.points[-1].retail|krw} on that day too. The stock fell by " +
      "{h.change_pct|1} % in the week, and foreign investors hold {s.foreign_share_pct|1} % of the company. " +
      "The last filing is of {d.filings[0].date|day}, and the newest article is " +
      "“{n.articles[0].title|text}”.",
    claims: [
      ["f.totals.foreign", "<", 0],
      ["f.points[-1].foreign", "<", 0],
      ["f.points[-1].retail", "<", 0],
      ["f.points[-1].provisional", "=", false],
      ["s.change_pct", "<", 0],
      ["h.change_pct", "<", 0]
    ]
  },
  {
    question: "Does Korea pay up for coins, or for dollars?",
    calls: [
      { resultName: "k", tool: "get_kimchi_premium", args: { coin: "BTC" } },
      { resultName: "l", tool: "get_kr_listings", args: {} }
    ],
    answer: "For dollars, but only a little. Of BTC's premium of {k.rows[0].premium_pct|2} %, the currency " +
      "contributes {k.rows[0].currency_leg_pct|2} (USDT costs ₩{k.rows[0].usdt_krw|1}, and a dollar " +
      "₩{k.rows[0].fx|1}) and the coin itself {k.rows[0].asset_leg_pct|2}. Only " +
      "{k.rows[0].premium_percentile|0} % of the premiums of a month were lower. New listings have high " +
      "premiums: {l.listings[0].coin|text} opened on {l.listings[0].exchange|text} " +
      "{l.listings[0].hours_since|1} hours ago, {l.listings[0].premium_path[0].premium_pct|0} % above the " +
      "foreign price, and is still {l.listings[0].premium_now_pct|1} % above it.",
    claims: [
      ["k.rows[0].currency_leg_pct", ">", "k.rows[0].asset_leg_pct"],
      ["k.rows[0].asset_leg_pct", ">", 0],
      ["k.rows[0].premium_percentile", "<", 40],
      ["l.listings[0].premium_now_pct", ">", 1]
    ]
  },
  {
    question: "Was Seoul as calm as its index?",
    calls: [
      { resultName: "m", tool: "get_kr_market", args: {} },
      { resultName: "v", tool: "get_movers", args: { market: "stock", top: 3 } }
    ],
    answer: "Yes. The KOSPI lost {m.kospi.change_pct|2} %, {m.breadth.declining|0} stocks fell and " +
      "{m.breadth.advancing|0} rose. {v.turnover[0].name|text} lost {v.turnover[0].change_pct|1} % with a " +
      "turnover of {v.turnover[0].turnover_krw|krw}, and {v.turnover[1].name|text} lost " +
      "{v.turnover[1].change_pct|1} %. The largest loss was {v.losers[0].change_pct|1} %, of " +
      "{v.losers[0].name|text}. Foreign investors bought {m.foreign_net_krw|krw} of stocks, and a dollar " +
      "costs {m.usd_krw.change_24h_pct|1} % more than a day ago.",
    claims: [
      ["m.kospi.change_pct", "<", 0],
      ["m.kospi.change_pct", ">", -0.5],
      ["m.breadth.declining", ">", "m.breadth.advancing"],
      ["v.turnover[0].change_pct", "<", 0],
      ["v.turnover[1].change_pct", "<", 0],
      ["m.foreign_net_krw", ">", 0],
      ["m.usd_krw.change_24h_pct", ">", 0]
    ]
  },
  {
    question: "Has Apple run ahead of itself?",
    calls: [
      { resultName: "q", tool: "get_us_stock", args: { symbol: "AAPL" } },
      { resultName: "a", tool: "get_us_analyst_ratings", args: { symbol: "AAPL" } },
      { resultName: "i", tool: "get_us_insider_trades", args: { symbol: "AAPL", days: 180 } },
      { resultName: "f", tool: "get_us_fundamentals", args: { symbol: "AAPL" } }
    ],
    answer: "No. The price of ${q.price|2} is at {q.range_52w.position_pct|0} % of the range of the year. It is " +
      "{q.pe|0} times the earnings and {f.ratios.ps|0} times the sales of the last twelve months. The mean " +
      "target of analysts is ${a.target.mean|0}, {a.target.upside_pct|0} % above the price, and " +
      "{a.consensus.counts.buy|0} of {a.consensus.n|0} analysts recommend buying. Officers and directors " +
      "sold {i.sold_usd|usd} in the open market within half a year, and bought {i.bought_usd|usd}.",
    claims: [
      ["q.range_52w.position_pct", "<", 50],
      ["a.target.upside_pct", ">", 0],
      ["i.sold_usd", ">", "i.bought_usd"]
    ]
  },
  {
    question: "What do options expect of NVIDIA?",
    calls: [
      { resultName: "o", tool: "get_us_options", args: { symbol: "NVDA" } },
      { resultName: "e", tool: "get_us_earnings", args: { symbol: "NVDA" } }
    ],
    answer: "A move of {o.expected_move_pct|1} % in either direction by {o.expiry|day}. The implied volatility " +
      "for thirty days is {o.iv30_pct|1} %. The realised volatility was lower in " +
      "{o.iv30_percentile_of_realised|0} % of the sessions of the year, but is {o.realised_30d_pct|1} % " +
      "over the last month. The implied volatility of a put with a delta of a quarter is {o.skew_25d|1} points higher than " +
      "that of the call. The price is below {o.gamma_flip|0}, where the hedging of dealers amplifies price " +
      "changes. The next results are due on {e.next.date|day}. Options imply a move of " +
      "{e.implied_move_pct|1} % for them, and past results moved the price by {e.mean_abs_move_pct|1} % on " +
      "average.",
    claims: [
      ["o.iv30_percentile_of_realised", ">", 50],
      ["o.iv30_pct", "<", "o.realised_30d_pct"],
      ["o.skew_25d", "<", 0],
      ["o.gamma_flip", ">", "o.spot"]
    ]
  },
  {
    question: "What could move the market next week, and is anybody nervous?",
    calls: [
      { resultName: "c", tool: "get_economic_calendar", args: { days: 7 } },
      { resultName: "y", tool: "get_yield_curve", args: {} },
      { resultName: "u", tool: "get_us_market", args: {} }
    ],
    answer: "First the decision of the Bank of Korea on {c.next_high.time|day}: the forecast is " +
      "{c.events[name=BoK Base Rate Decision].forecast|2} %, after {c.events[name=BoK Base Rate " +
      "Decision].previous|2} % before. Investors are a little more nervous than usual: the VIX is " +
      "{u.vix.value|1}, and {u.vix.percentile|0} % of its last {u.vix.n|0} sessions closed lower. The US " +
      "yield curve is inverted: ten-year bonds yield {y.spread_10y_2y_bps|0} basis points less than " +
      "two-year bonds, and this spread is {y.change_1m_bps|0} basis points lower than a month ago. Today " +
      "the S&P lost {u.indices[index=SPX].change_pct|2} %, with {u.breadth.advancing|0} stocks up and " +
      "{u.breadth.declining|0} down.",
    claims: [
      ["c.next_high.name", "=", "BoK Base Rate Decision"],
      ["y.inverted", "=", true],
      ["y.change_1m_bps", "<", 0],
      ["u.vix.percentile", ">", 60],
      ["u.indices[index=SPX].change_pct", "<", 0]
    ]
  }
]
