import { type ComponentType, lazy, Suspense, useEffect, useMemo } from "react"
import { useAccess } from "../access/Access.tsx"
import { firstPath } from "../pages/first.ts"
import { pages } from "../pages/index.ts"
import type { Page } from "../pages/page.ts"
import { signIn } from "../pages/signIn/page.ts"
import { arrivals } from "../router/Arrivals.ts"
import { navigate, useLocation } from "../router/location.ts"
import { paramsIn } from "../router/route.ts"
import { Link } from "../widgets/parts.tsx"
import { Empty, Skeleton } from "../widgets/states.tsx"
import { useLanguage } from "../words/Languages.tsx"
import { useWords } from "../words/words.ts"
import { Bare } from "./Bare.tsx"
import { Failing } from "./Failing.tsx"
import { Shell } from "./Shell.tsx"
import { frameWords } from "./words.ts"

type Shown = ComponentType<{ readonly params: Readonly<Record<string, string>> }>

/** The component of each page, loaded at the first visit. Pages with the same `load` share it. */
const components = new Map<Page["load"], Shown>(
  pages.map(({ load, path }) => [load, lazy(async () => ({ default: await arrivals.load(path, load) }))])
)

const SignIn = components.get(signIn.load)!

const find = (path: string) => {
  for (const page of pages) {
    const params = paramsIn(page.path, path)
    if (params !== undefined) return { page, params, component: components.get(page.load)! }
  }
  return undefined
}

const Unknown = () => {
  const says = useWords(frameWords)
  return (
    <Empty isPage title={says.unknown} action={<Link href={firstPath}>{says.home}</Link>}>{says.unknownMore}</Empty>
  )
}

/** Scrolls a new page to its top and sets the document's title. */
const Arrival = ({ title }: { readonly title: string }) => {
  useEffect(() => {
    document.title = title
  }, [title])
  useEffect(() => {
    // (`scrollTo` returns a promise in some browsers, which an effect must not return.)
    scrollTo(0, 0)
  }, [])
  return null
}

/** The page of the current address, in its frame. */
export const Pages = () => {
  const { who } = useAccess()
  const { path } = useLocation()
  const { language } = useLanguage()
  const found = useMemo(() => find(path), [path])
  useEffect(() => {
    // A reload would lose a pasted key.
    if (found !== undefined && who.by !== "key") arrivals.goTo(found.page.path)
  }, [found, who.by])
  const isFirst = path === "/" && found === undefined
  useEffect(() => {
    if (isFirst && who.by !== "nothing") navigate(firstPath, { replace: true })
  }, [isFirst, who.by])
  const shown = (
    <Failing key={path}>
      <Arrival title={found === undefined ? "Tapeline" : `${found.page.name[language]} · Tapeline`} />
      <Suspense fallback={<Skeleton lines={6} />}>
        {found === undefined ? !isFirst && <Unknown /> : <found.component params={found.params} />}
      </Suspense>
    </Failing>
  )
  if (found?.page.open === true) return <Bare>{shown}</Bare>
  if (who.by === "nothing") {
    return (
      <Bare>
        <Suspense fallback={null}>
          <SignIn params={{}} />
        </Suspense>
      </Bare>
    )
  }
  return <Shell at={path}>{shown}</Shell>
}
