import { Wrench } from "lucide-react"
import { page } from "../page.ts"

export const tools = page({
  path: "/tools",
  name: { en: "Tools", ko: "도구", ru: "Инструменты" },
  place: { group: "work", icon: Wrench },
  load: async () => (await import("./ToolsPage.tsx")).ToolsPage
})
