import { page } from "../page.ts"

export const tool = page({
  path: "/tools/:name",
  name: { en: "Tool", ko: "도구", ru: "Инструмент" },
  load: async () => (await import("./ToolPage.tsx")).ToolPage
})
