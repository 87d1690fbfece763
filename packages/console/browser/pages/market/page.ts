import { CandlestickChart } from "lucide-react"
import { page } from "../page.ts"

const name = { en: "Market", ko: "시장", ru: "Рынок" }

export const market = page({
  path: "/market",
  name,
  place: { group: "work", icon: CandlestickChart },
  load: async () => (await import("./MarketPage.tsx")).MarketPage
})

export const coin = page({
  path: "/market/:coin",
  name,
  load: async () => (await import("./CoinPage.tsx")).CoinPage
})
