import { MessagesSquare } from "lucide-react"
import { definePage } from "../page.ts"

const load = async () => (await import("./AnalystPage.tsx")).AnalystPage
const name = { en: "Analyst", ko: "애널리스트", ru: "Аналитик" }

/** The page that starts a new conversation with the analyst. */
export const analyst = definePage({
  path: "/analyst",
  name,
  place: { group: "work", icon: MessagesSquare },
  load
})

/** The page of an existing conversation with the analyst. */
export const conversation = definePage({
  path: "/analyst/:conversation",
  name,
  load
})
