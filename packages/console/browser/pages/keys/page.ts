import { KeyRound } from "lucide-react"
import { definePage } from "../page.ts"

export const keys = definePage({
  path: "/keys",
  name: { en: "Keys", ko: "API 키", ru: "Ключи" },
  place: { group: "account", icon: KeyRound },
  load: async () => (await import("./KeysPage.tsx")).KeysPage
})
