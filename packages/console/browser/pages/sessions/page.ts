import { MonitorSmartphone } from "lucide-react"
import { definePage } from "../page.ts"

export const sessions = definePage({
  path: "/sessions",
  name: { en: "Sessions", ko: "세션", ru: "Сеансы" },
  place: { group: "account", icon: MonitorSmartphone },
  load: async () => (await import("./SessionsPage.tsx")).SessionsPage
})
