import { type Area, areas } from "@tapeline/core/specifications"
import type { Json } from "./example.ts"

const areaTags: Readonly<Record<Area, { readonly title: string; readonly about: string }>> = {
  crypto: { title: "Coins", about: "Prices, candles, levels, order books, scores and comparisons of coins." },
  derivatives: {
    title: "Derivatives",
    about: "Funding, open interest, positioning, basis and liquidations of perpetual futures."
  },
  signals: { title: "Signals", about: "What signals say now, and how those of the past came out." },
  options: {
    title: "Options",
    about: "Chains, implied volatility, flow and positioning of options on coins, and structures tried on them."
  },
  onchain: { title: "On-chain", about: "Tokens, pools, and what moves on chains." },
  social: { title: "Social", about: "What is said of coins, how much, and how much of it is genuine." },
  news: { title: "News", about: "Headlines, their search, and their tone." },
  korea: { title: "Korea", about: "Korean coin markets and stocks. `read:korea` opens these tools too." },
  us: { title: "United States", about: "American stocks. `read:us` opens these tools too." },
  macro: { title: "Macro", about: "Economic releases, and the yield curve." },
  backtest: { title: "Backtests", about: "Strategies tried on the past." },
  code: { title: "Code", about: "Scripts of the caller's own, run apart from everything else." },
  chart: { title: "Charts", about: "Charts that are drawn, and their images." },
  journal: { title: "Journal", about: "The account's own positions, trades, notes and limits." },
  tasks: { title: "Tasks", about: "What is watched for the account while nobody asks, and the bell by which it tells." }
}

/** The tag under which the documentation page shows an API group: a tool area or another API group. */
const tagOfGroup: Readonly<Record<string, Area | "account" | "admin">> = {
  accountKeys: "account",
  charts: "chart",
  links: "admin",
  notifications: "tasks",
  openId: "account",
  sessions: "account"
}

const titles: Readonly<Record<string, string>> = {
  meta: "Catalogue and credits",
  agent: "The analyst",
  conversations: "Conversations",
  account: "The account",
  public: "Service",
  admin: "Administration",
  ...Object.fromEntries(areas.map((area) => [area, areaTags[area].title]))
}

/** The tag groups of the documentation page, in reading order. */
const tagGroups: ReadonlyArray<readonly [name: string, tags: ReadonlyArray<string>]> = [
  ["Start here", ["meta"]],
  ["The analyst", ["agent", "conversations"]],
  ["Tools", areas],
  ["Signed in", ["account"]],
  ["Operating", ["public", "admin"]]
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
