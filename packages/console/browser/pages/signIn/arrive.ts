import { navigate } from "../../router/location.ts"
import { pathOf } from "../../router/route.ts"
import { firstPath } from "../first.ts"
import { signInPath } from "./link.ts"

/** Opens the first page if the user is at the sign-in page. Otherwise the requested page stays open. */
export const arrive = () => {
  if (pathOf(location.pathname) === signInPath) navigate(firstPath, { replace: true })
}
