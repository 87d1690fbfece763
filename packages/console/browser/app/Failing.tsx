import { TriangleAlert } from "lucide-react"
import { Component, type ReactNode } from "react"
import { Button } from "../widgets/Button.tsx"
import { Empty } from "../widgets/states.tsx"
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

/** What a page that fails leaves in its place: the rest of the console goes on. */
export class Failing extends Component<{ readonly children: ReactNode }, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false }

  static getDerivedStateFromError() {
    return { hasFailed: true }
  }

  override render() {
    return this.state.hasFailed ? <Broken /> : this.props.children
  }
}
