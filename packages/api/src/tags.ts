import { type Area, areas } from "@tapeline/core/specifications"
import type { Json } from "./example.ts"

const areaTags: Readonly<Record<Area, { readonly title: string; readonly about: string }>> = {
  crypto: { title: "Coins", about: "Prices, candles, levels, order books, scores and comparisons of coins." },
  derivatives: {
    title: "Derivatives",
    about: "Funding, open interest, positioning, basis and liquidations of perpetual futures."
  },
  signals: { title: "Signals", about: "Active trading signals, and the outcomes of past signals." },
  options: {
    title: "Options",
    about: "Chains, implied volatility, flow and positioning of options on coins, and analysis of option strategies."
  },
  onchain: { title: "On-chain", about: "Tokens, liquidity pools, and transfers on blockchains." },
  social: { title: "Social", about: "Posts about coins: volume, sentiment and authenticity." },
  news: { title: "News", about: "Headlines, news search and sentiment." },
  korea: { title: "Korea", about: "Korean coin markets and stocks. `read:korea` also permits these tools." },
  us: { title: "United States", about: "US stocks. `read:us` also permits these tools." },
  macro: { title: "Macro", about: "Economic releases, and the yield curve." },
  backtest: { title: "Backtests", about: "Backtests of trading strategies." },
  code: { title: "Code", about: "Scripts of the caller, which run in a sandbox." },
  chart: { title: "Charts", about: "Charts as images." },
  journal: { title: "Journal", about: "The account's positions, trades, notes and risk limits." },
  tasks: { title: "Tasks", about: "Alerts and schedules that run in the background, and their notifications." }
}

/** Maps an API group to the documentation tag under which the operations of the group appear. */
const tagOfGroup: Readonly<Record<string, Area | "account" | "admin">> = {
  accountData: "account",
  accountKeys: "account",
  adminAccountData: "admin",
  adminCredits: "admin",
  adminKeys: "admin",
  adminTokens: "admin",
  adminWork: "admin",
  backups: "admin",
  charts: "chart",
  links: "admin",
  notifications: "tasks",
  openId: "account",
  sessions: "account",
  usageReport: "admin",
  webhooks: "admin"
}

const titles: Readonly<Record<string, string>> = {
  meta: "Catalogue and credits",
  agent: "The analyst",
  conversations: "Conversations",
  account: "The account",
  public: "Service",
  admin: "Admin API",
  ...Object.fromEntries(areas.map((area) => [area, areaTags[area].title]))
}

const tagGroups: ReadonlyArray<readonly [name: string, tags: ReadonlyArray<string>]> = [
  ["Start here", ["meta"]],
  ["The analyst", ["agent", "conversations"]],
  ["Tools", areas],
  ["Signed-in users", ["account"]],
  ["Operation", ["public", "admin"]]
]

/** Returns the tags of an operation: the tool's area, the tag in `tagOfGroup`, or the name of the API group. */
export const tagsOf = (operation: Json): ReadonlyArray<string> =>
  operation["x-area"] === undefined
    ? operation["tags"].map((tag: string) => tagOfGroup[tag] ?? tag)
    : [operation["x-area"]]

/** Returns the tags that operations use, in reading order, and the tag groups of the documentation page. */
export const tagsAndGroups = (declared: ReadonlyArray<Json>, used: ReadonlySet<string>) => {
  const about = new Map<string, string>([
    ...declared.map(({ description, name }): [string, string] => [name, description]),
    ...areas.map((area): [string, string] => [area, areaTags[area].about])
  ])
  const usedGroups = tagGroups
    .map(([name, tags]) => ({ name, tags: tags.filter((tag) => used.has(tag)) }))
    .filter(({ tags }) => tags.length > 0)
  return {
    tags: usedGroups.flatMap(({ tags }) =>
      tags.map((name) => ({ name, "x-displayName": titles[name], description: about.get(name) }))
    ),
    "x-tagGroups": usedGroups
  }
}
