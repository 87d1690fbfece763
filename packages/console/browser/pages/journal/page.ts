import { NotebookPen } from "lucide-react"
import { definePage } from "../page.ts"

export const journal = definePage({
  path: "/journal",
  name: { en: "Journal", ko: "매매 일지", ru: "Журнал" },
  place: { group: "work", icon: NotebookPen },
  load: async () => (await import("./JournalPage.tsx")).JournalPage
})
