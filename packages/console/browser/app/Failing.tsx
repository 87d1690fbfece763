import { CloudOff, TriangleAlert } from "lucide-react"
import { Component, type ReactNode, useEffect } from "react"
import { useAccess } from "../access/Access.tsx"
import { useOnline } from "../asking/useOnline.ts"
import { arrivals, NotArrived } from "../router/Arrivals.ts"
import { Button } from "../widgets/Button.tsx"
import { Empty } from "../widgets/states.tsx"
import { widgetWords } from "../widgets/words.ts"
import { useWords } from "../words/words.ts"
import { frameWords } from "./words.ts"

const Broken = () => {
  const says = useWords(frameWords)
  return (
    <Empty
      isPage
      icon={TriangleAlert}
      title={says.broken}
      action={<Button onPress={() => location.reload()}>{says.reload}</Button>}
    >
      {says.brokenMore}
    </Empty>
  )
}

/** Offers a reload if a part of the console could not be loaded. A reload would lose a pasted key. */
const Missing = () => {
  const says = useWords(frameWords)
  const general = useWords(widgetWords)
  const isOnline = useOnline()
  const { who } = useAccess()
  const isKept = who.by !== "key"
  useEffect(() => isKept ? arrivals.awaitNetwork() : undefined, [isKept])
  return (
    <Empty
      isPage
      icon={CloudOff}
      title={isOnline ? says.missing : general.offline}
      action={<Button onPress={() => arrivals.reload()}>{says.reload}</Button>}
    >
      {isOnline ? says.missingMore : isKept ? general.offlineMore : says.missingMore}
      {!isKept && ` ${says.missingKey}`}
    </Empty>
  )
}

interface State {
  readonly failed: "nothing" | "a part" | "the page"
}

/** Shows an error in place of a page that fails. The rest of the console keeps working. */
export class Failing extends Component<{ readonly children: ReactNode }, State> {
  override state: State = { failed: "nothing" }

  static getDerivedStateFromError(error: unknown): State {
    return { failed: error instanceof NotArrived ? "a part" : "the page" }
  }

  override render() {
    const { failed } = this.state
    return failed === "nothing" ? this.props.children : failed === "a part" ? <Missing /> : <Broken />
  }
}
