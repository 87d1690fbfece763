/** Fictional news publishers. */
import type { Key } from "../kernel/random.ts"
import { pickRandom } from "../kernel/templates.ts"
import type { NewsLanguage } from "./story.ts"

const outlets: Readonly<Record<NewsLanguage, ReadonlyArray<string>>> = {
  en: [
    "Harbour Wire",
    "The Ledger Post",
    "Chain Gazette",
    "Northbank Markets",
    "Daily Tape",
    "Meridian Crypto Review",
    "Block & Bourse",
    "Quayside Financial",
    "The Open Interest",
    "Signal Street",
    "Copperline News",
    "Atlas Digital Assets"
  ],
  ko: ["한강경제", "블록타임스 서울", "디지털원장", "여의도 마켓", "코인새벽", "남산비즈"],
  ru: ["Биржевой маяк", "Крипто Обзор", "Северный рынок", "Цепь и Рубль"]
}

const slugs: Readonly<Record<string, string>> = {
  "한강경제": "hangang-economy",
  "블록타임스 서울": "blocktimes-seoul",
  "디지털원장": "digital-ledger",
  "여의도 마켓": "yeouido-market",
  "코인새벽": "coin-dawn",
  "남산비즈": "namsan-biz",
  "Биржевой маяк": "birzhevoy-mayak",
  "Крипто Обзор": "crypto-obzor",
  "Северный рынок": "severny-rynok",
  "Цепь и Рубль": "tsep-i-rubl"
}

export const pickOutlet = (language: NewsLanguage, key: Key): string => pickRandom(outlets[language], key, 90)

const makeSlug = (text: string): string =>
  text.toLowerCase().replace(/[^a-z0-9]+/gu, "-").replace(/^-|-$/gu, "").slice(0, 60).replace(/-$/u, "")

export const makeUrl = (outlet: string, time: number, title: string, id: string): string => {
  const words = makeSlug(title)
  const date = new Date(time).toISOString().slice(0, 10).replaceAll("-", "/")
  return `https://news.example/${slugs[outlet] ?? makeSlug(outlet)}/${date}/${words === "" ? "" : `${words}-`}${id}`
}
