const forBothCoins = (args: object = {}): ReadonlyArray<object> => [{ coin: "BTC", ...args }, { coin: "ETH", ...args }]

/** For each tool, the arguments for which the result from collected data equals the result of the simulated market. */
export const comparedTools: Readonly<Record<string, ReadonlyArray<object>>> = {
  get_price: forBothCoins(),
  get_price_at: [...forBothCoins({ minutes_ago: 90 }), ...forBothCoins({ minutes_ago: 3_000 })],
  get_price_history: [
    ...forBothCoins({ tf: "1h", bars: 100 }),
    ...forBothCoins({ tf: "5m", bars: 60 }),
    ...forBothCoins({ tf: "1d", bars: 30 })
  ],
  get_market_overview: [{}],
  get_movers: [{ top: 5 }],
  get_indicators: [...forBothCoins({ tf: "1h" }), ...forBothCoins({ tf: "4h" })],
  get_score: forBothCoins(),
  get_score_history: forBothCoins({ hours: 168 }),
  get_coil: forBothCoins(),
  get_regime: [{}],
  get_fear_greed: [{}],
  get_orderbook: forBothCoins(),
  get_volatility: forBothCoins(),
  get_volume_profile: forBothCoins(),
  get_vwap: forBothCoins(),
  get_levels: forBothCoins(),
  get_seasonality: forBothCoins(),
  get_correlation: [{ coins: ["BTC", "ETH"], days: 14 }],
  compare_coins: [{ coins: ["BTC", "ETH"] }],
  screen_coins: [{ filters: [{ field: "rsi", op: "lt", value: 60 }] }],
  get_derivatives: forBothCoins(),
  get_basis: forBothCoins(),
  get_funding_comparison: forBothCoins(),
  get_liquidations: forBothCoins(),
  get_liquidations_history: [...forBothCoins({ hours: 12 }), ...forBothCoins({ hours: 168 })],
  get_liquidation_map: forBothCoins(),
  get_positioning_history: [...forBothCoins({ hours: 48 }), ...forBothCoins({ hours: 168 })],
  get_active_signals: [{}],
  get_probability: forBothCoins({ horizon_min: 240, target: 100_000 }),
  get_short_calibration: forBothCoins({ horizon_min: 60 }),
  // Only the 30-day volatility index has past data.
  get_options_backtest: forBothCoins({ fwd_days: 30 }),
  get_dominance: [{}],
  get_kimchi_premium: [{}, { coin: "BTC" }, { coin: "FIL" }, { scan_all: true, top: 20 }],
  get_kr_listings: [{}],
  get_latest_news: [{ top: 20 }, ...forBothCoins({ top: 20 })],
  get_news_sentiment: [{ hours: 72 }, { hours: 168 }, ...forBothCoins({ hours: 168 })],
  get_authenticity: forBothCoins(),
  get_social_history: [...forBothCoins({ hours: 12 }), ...forBothCoins({ hours: 168 })],
  get_social_momentum: forBothCoins(),
  get_trending: [{}],
  get_binary_ev: [{ p_win: 0.58, payout_pct: 80 }]
}

const accountDataReason = "it returns records of accounts, and no stored series"

export const excludedTools: Readonly<Record<string, string>> = {
  make_chart: "it draws the results of other tools",
  get_onchain:
    "a pool returns only its newest 300 trades, a few minutes for these coins: `dexActivity.test.ts` compares it for a coin with fewer trades",
  add_journal_note: accountDataReason,
  close_position: accountDataReason,
  delete_position: accountDataReason,
  get_journal_stats: accountDataReason,
  get_portfolio_risk: accountDataReason,
  get_positions: accountDataReason,
  get_risk_profile: accountDataReason,
  get_risk_sizing: accountDataReason,
  get_trade_history: accountDataReason,
  get_watchlist: accountDataReason,
  set_position: accountDataReason,
  set_risk_profile: accountDataReason,
  update_position: accountDataReason,
  update_watchlist: accountDataReason,
  create_task: accountDataReason,
  delete_task: accountDataReason,
  get_notifications: accountDataReason,
  get_tasks: accountDataReason,
  mark_notifications_read: accountDataReason,
  update_task: accountDataReason
}
