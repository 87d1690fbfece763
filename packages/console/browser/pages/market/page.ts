import { CandlestickChart } from "lucide-react"
import { definePage } from "../page.ts"

const name = { en: "Market", ko: "시장", ru: "Рынок" }

export const market = definePage({
  path: "/market",
  name,
  place: { group: "work", icon: CandlestickChart },
  load: async () => (await import("./MarketPage.tsx")).MarketPage
})

export const coin = definePage({
  path: "/market/:coin",
  name,
  load: async () => (await import("./CoinPage.tsx")).CoinPage
})
