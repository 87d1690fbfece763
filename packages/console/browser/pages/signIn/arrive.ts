import { navigate } from "../../router/location.ts"
import { pathOf } from "../../router/route.ts"
import { firstPath } from "../first.ts"
import { signInPath } from "./link.ts"

/** Whoever was on the way to a page gets there; who came to sign in begins at the first. */
export const arrive = () => {
  if (pathOf(location.pathname) === signInPath) navigate(firstPath, { replace: true })
}
