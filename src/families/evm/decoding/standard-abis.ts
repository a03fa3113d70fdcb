// What contracts of well-known standards, and contracts that nearly every transaction meets, are called with and emit. The
// first one of a signature wins.

import { parseSignature } from "./parse-signature.js"

const texts: Readonly<Record<string, string>> = {
  "ERC-20": `
    function transfer(address to, uint256 value)
    function transferFrom(address from, address to, uint256 value)
    function approve(address spender, uint256 value)
    function increaseAllowance(address spender, uint256 addedValue)
    function decreaseAllowance(address spender, uint256 subtractedValue)
    event Transfer(address indexed from, address indexed to, uint256 value)
    event Approval(address indexed owner, address indexed spender, uint256 value)
  `,
  "ERC-721": `
    function transferFrom(address from, address to, uint256 tokenId)
    function approve(address to, uint256 tokenId)
    function safeTransferFrom(address from, address to, uint256 tokenId)
    function safeTransferFrom(address from, address to, uint256 tokenId, bytes data)
    function setApprovalForAll(address operator, bool approved)
    event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)
    event Approval(address indexed owner, address indexed approved, uint256 indexed tokenId)
    event ApprovalForAll(address indexed owner, address indexed operator, bool approved)
  `,
  "ERC-1155": `
    function setApprovalForAll(address operator, bool approved)
    function safeTransferFrom(address from, address to, uint256 id, uint256 value, bytes data)
    function safeBatchTransferFrom(address from, address to, uint256[] ids, uint256[] values, bytes data)
    event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256
      value)
    event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids,
      uint256[] values)
    event ApprovalForAll(address indexed owner, address indexed operator, bool approved)
    event URI(string value, uint256 indexed id)
  `,
  "ERC-2612": `
    function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32
      s)
  `,
  WETH: `
    function deposit()
    function withdraw(uint256 amount)
    event Deposit(address indexed account, uint256 amount)
    event Withdrawal(address indexed account, uint256 amount)
  `,
  "ERC-4626": `
    function deposit(uint256 assets, address receiver)
    function mint(uint256 shares, address receiver)
    function withdraw(uint256 assets, address receiver, address owner)
    function redeem(uint256 shares, address receiver, address owner)
    event Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)
    event Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets,
      uint256 shares)
  `,
  Mintable: `
    function mint(address to)
    function mint(address to, uint256 value)
    function mint(address to, uint256 id, uint256 value)
    function safeMint(address to, uint256 tokenId)
    function burn(uint256 value)
    function burnFrom(address account, uint256 value)
  `,
  Ownable: `
    function transferOwnership(address newOwner)
    function renounceOwnership()
    function acceptOwnership()
    event OwnershipTransferred(address indexed previousOwner, address indexed newOwner)
    event OwnershipTransferStarted(address indexed previousOwner, address indexed newOwner)
  `,
  AccessControl: `
    function grantRole(bytes32 role, address account)
    function revokeRole(bytes32 role, address account)
    function renounceRole(bytes32 role, address account)
    event RoleGranted(bytes32 indexed role, address indexed account, address indexed sender)
    event RoleRevoked(bytes32 indexed role, address indexed account, address indexed sender)
    event RoleAdminChanged(bytes32 indexed role, bytes32 indexed previousAdminRole, bytes32 indexed
      newAdminRole)
  `,
  Pausable: `
    function pause()
    function unpause()
    event Paused(address account)
    event Unpaused(address account)
  `,
  Proxy: `
    function upgradeTo(address newImplementation)
    function upgradeToAndCall(address newImplementation, bytes data)
    event Upgraded(address indexed implementation)
    event AdminChanged(address previousAdmin, address newAdmin)
    event BeaconUpgraded(address indexed beacon)
    event Initialized(uint8 version)
    event Initialized(uint64 version)
  `,
  Multicall: `
    function multicall(bytes[] data)
    function multicall(uint256 deadline, bytes[] data)
    function aggregate((address target, bytes callData)[] calls)
    function tryAggregate(bool requireSuccess, (address target, bytes callData)[] calls)
    function aggregate3((address target, bool allowFailure, bytes callData)[] calls)
    function aggregate3Value((address target, bool allowFailure, uint256 value, bytes callData)[] calls)
  `,
  "Uniswap V2": `
    function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to,
      uint256 deadline)
    function swapTokensForExactTokens(uint256 amountOut, uint256 amountInMax, address[] path, address to,
      uint256 deadline)
    function swapExactETHForTokens(uint256 amountOutMin, address[] path, address to, uint256 deadline)
    function swapTokensForExactETH(uint256 amountOut, uint256 amountInMax, address[] path, address to, uint256
      deadline)
    function swapExactTokensForETH(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256
      deadline)
    function swapETHForExactTokens(uint256 amountOut, address[] path, address to, uint256 deadline)
    function addLiquidity(address tokenA, address tokenB, uint256 amountADesired, uint256 amountBDesired,
      uint256 amountAMin, uint256 amountBMin, address to, uint256 deadline)
    function addLiquidityETH(address token, uint256 amountTokenDesired, uint256 amountTokenMin, uint256
      amountETHMin, address to, uint256 deadline)
    function removeLiquidity(address tokenA, address tokenB, uint256 liquidity, uint256 amountAMin, uint256
      amountBMin, address to, uint256 deadline)
    function removeLiquidityETH(address token, uint256 liquidity, uint256 amountTokenMin, uint256 amountETHMin,
      address to, uint256 deadline)
    event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256
      amount1Out, address indexed to)
    event Mint(address indexed sender, uint256 amount0, uint256 amount1)
    event Burn(address indexed sender, uint256 amount0, uint256 amount1, address indexed to)
    event Sync(uint112 reserve0, uint112 reserve1)
    event PairCreated(address indexed token0, address indexed token1, address pair, uint256 pairCount)
  `,
  "Uniswap V3": `
    function exactInputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256
      deadline, uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96) params)
    function exactInputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256
      amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96) params)
    function exactInput((bytes path, address recipient, uint256 deadline, uint256 amountIn, uint256
      amountOutMinimum) params)
    function exactInput((bytes path, address recipient, uint256 amountIn, uint256 amountOutMinimum) params)
    function execute(bytes commands, bytes[] inputs, uint256 deadline)
    event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160
      sqrtPriceX96, uint128 liquidity, int24 tick)
    event PoolCreated(address indexed token0, address indexed token1, uint24 indexed fee, int24 tickSpacing,
      address pool)
  `,
  Safe: `
    function execTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256
      baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures)
    event ExecutionSuccess(bytes32 txHash, uint256 payment)
    event ExecutionFailure(bytes32 txHash, uint256 payment)
  `,
}

export const standardAbis = Object.entries(texts).map(([name, text]) => ({
  source: "standard" as const,
  name,
  entries: text
    .trim()
    .split(/\s+(?=function |event )/)
    .map((signature) => parseSignature(signature.replace(/\s+/g, " "))),
}))
