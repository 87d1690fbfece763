import { MessagesSquare } from "lucide-react"
import { definePage } from "../page.ts"

const load = async () => (await import("./AnalystPage.tsx")).AnalystPage
const name = { en: "Analyst", ko: "애널리스트", ru: "Аналитик" }

export const analyst = definePage({
  path: "/analyst",
  name,
  place: { group: "work", icon: MessagesSquare },
  load
})

export const conversation = definePage({
  path: "/analyst/:conversation",
  name,
  load
})
