/* Tools that cost one credit, grouped by whether they are compared on a collected week. */

const of = (args: object = {}): ReadonlyArray<object> => [{ coin: "BTC", ...args }, { coin: "ETH", ...args }]

/** The questions of each tool whose answer from collected data equals the answer of the market. */
export const equal: Readonly<Record<string, ReadonlyArray<object>>> = {
  get_price: of(),
  get_price_at: [...of({ minutes_ago: 90 }), ...of({ minutes_ago: 3_000 })],
  get_price_history: [...of({ tf: "1h", bars: 100 }), ...of({ tf: "5m", bars: 60 }), ...of({ tf: "1d", bars: 30 })],
  get_market_overview: [{}],
  get_movers: [{ top: 5 }],
  get_indicators: [...of({ tf: "1h" }), ...of({ tf: "4h" })],
  get_score: of(),
  get_score_history: of({ hours: 168 }),
  get_coil: of(),
  get_regime: [{}],
  get_fear_greed: [{}],
  get_orderbook: of(),
  get_volatility: of(),
  get_volume_profile: of(),
  get_vwap: of(),
  get_levels: of(),
  get_seasonality: of(),
  get_correlation: [{ coins: ["BTC", "ETH"], days: 14 }],
  compare_coins: [{ coins: ["BTC", "ETH"] }],
  screen_coins: [{ filters: [{ field: "rsi", op: "lt", value: 60 }] }],
  get_derivatives: of(),
  get_basis: of(),
  get_funding_comparison: of(),
  get_liquidations: of(),
  get_liquidations_history: [...of({ hours: 12 }), ...of({ hours: 168 })],
  get_liquidation_map: of(),
  get_positioning_history: [...of({ hours: 48 }), ...of({ hours: 168 })],
  get_active_signals: [{}],
  get_probability: of({ horizon_min: 240, target: 100_000 }),
  get_short_calibration: of({ horizon_min: 60 }),
  // The index of 30 days is the only volatility series that has a past.
  get_options_backtest: of({ fwd_days: 30 }),
  get_dominance: [{}],
  get_kimchi_premium: [{}, { coin: "BTC" }, { coin: "FIL" }, { scan_all: true, top: 20 }],
  get_kr_listings: [{}],
  get_latest_news: [{ top: 20 }, ...of({ top: 20 })],
  get_news_sentiment: [{ hours: 72 }, { hours: 168 }, ...of({ hours: 168 })],
  get_authenticity: of(),
  get_social_history: [...of({ hours: 12 }), ...of({ hours: 168 })],
  get_social_momentum: of(),
  get_trending: [{}],
  get_binary_ev: [{ p_win: 0.58, payout_pct: 80 }]
}

const ofAccount = "it tells what accounts keep, and of no stored series"

/** The reason for each tool that this test does not call. */
export const notHere: Readonly<Record<string, string>> = {
  make_chart: "it draws what the others tell",
  get_onchain:
    "a pool tells its newest three hundred trades, which of these coins are some minutes: it is compared over a coin that trades less, beside its collector (`dexActivity.test.ts`)",
  add_journal_note: ofAccount,
  close_position: ofAccount,
  delete_position: ofAccount,
  get_journal_stats: ofAccount,
  get_portfolio_risk: ofAccount,
  get_positions: ofAccount,
  get_risk_profile: ofAccount,
  get_risk_sizing: ofAccount,
  get_trade_history: ofAccount,
  get_watchlist: ofAccount,
  set_position: ofAccount,
  set_risk_profile: ofAccount,
  update_position: ofAccount,
  update_watchlist: ofAccount,
  create_task: ofAccount,
  delete_task: ofAccount,
  get_notifications: ofAccount,
  get_tasks: ofAccount,
  mark_notifications_read: ofAccount,
  update_task: ofAccount
}
