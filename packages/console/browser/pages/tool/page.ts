import { definePage } from "../page.ts"

export const tool = definePage({
  path: "/tools/:name",
  name: { en: "Tool", ko: "도구", ru: "Инструмент" },
  load: async () => (await import("./ToolPage.tsx")).ToolPage
})
