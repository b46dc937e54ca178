// Test of `catch_panic` in wasm. It runs the module `survives.rs`, which panics on purpose, and checks that the module
// and a lock that was held during a panic remain usable. The argument of the script is the folder of the compiled
// module.

import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'

const module = createRequire(import.meta.url)(resolve(process.argv[2], 'survives.js'))
const DEPTH = 30
const expected = 8 * (DEPTH + 1)

let attempts = 0
const attempt = (panics) => {
  attempts += 1
  return module.try_work(DEPTH, panics)
}

assert.equal(attempt(false), expected)
const maxPanics = module.max_caught_panics()
for (let number = 1; number <= maxPanics; number += 1) {
  assert.equal(attempt(true), undefined, `panic ${number} returns nothing`)
  if (number < maxPanics) assert.equal(attempt(false), expected, `the work after panic ${number}`)
  assert.equal(module.uncaught_work(DEPTH, false), expected, `the rest of the instance after panic ${number}`)
  assert.equal(module.log_length(), 2 * attempts, `the lock that was held during panic ${number}`)
}
assert.equal(attempt(false), undefined, 'after the limit nothing is called')
assert.equal(module.uncaught_work(DEPTH, false), expected)
// Control: without `catch_panic` the same panic is a trap.
assert.throws(() => module.uncaught_work(DEPTH, true), WebAssembly.RuntimeError)
console.log(`${maxPanics} panics caught; the instance works after each of them`)
