import { Wrench } from "lucide-react"
import { definePage } from "../page.ts"

export const tools = definePage({
  path: "/tools",
  name: { en: "Tools", ko: "도구", ru: "Инструменты" },
  place: { group: "work", icon: Wrench },
  load: async () => (await import("./ToolsPage.tsx")).ToolsPage
})
