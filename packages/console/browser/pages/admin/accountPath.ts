import { fillPath } from "../../router/route.ts"

export const accountPath = (id: number): string => fillPath("/admin/accounts/:id", { id: String(id) })
