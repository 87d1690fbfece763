import { KeyRound } from "lucide-react"
import { definePage } from "../page.ts"

export const keys = definePage({
  path: "/keys",
  name: { en: "API keys", ko: "API 키", ru: "Ключи API" },
  place: { group: "account", icon: KeyRound },
  load: async () => (await import("./KeysPage.tsx")).KeysPage
})
