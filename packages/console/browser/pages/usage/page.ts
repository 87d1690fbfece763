import { ChartColumn } from "lucide-react"
import { definePage } from "../page.ts"

export const usage = definePage({
  path: "/usage",
  name: { en: "Usage", ko: "사용량", ru: "Расход" },
  place: { group: "account", icon: ChartColumn },
  load: async () => (await import("./UsagePage.tsx")).UsagePage
})
