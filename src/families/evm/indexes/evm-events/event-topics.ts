// The first topic of each event that the built-in indexes know: the keccak hash of its signature. Literals, so that
// nothing is hashed at start; a test compares each with its signature.

export const eventTopics = {
  "Transfer(address,address,uint256)": "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
  "TransferSingle(address,address,address,uint256,uint256)":
    "0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62",
  "TransferBatch(address,address,address,uint256[],uint256[])":
    "0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb",
  "Deposit(address,uint256)": "0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c",
  "Withdrawal(address,uint256)": "0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65",
  "Approval(address,address,uint256)": "0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925",
  "ApprovalForAll(address,address,bool)": "0x17307eab39ab6107e8899845ad3d59bd9653f200f220920489ca2b5937696c31",
  "Swap(address,uint256,uint256,uint256,uint256,address)":
    "0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822",
  "Swap(address,address,int256,int256,uint160,uint128,int24)":
    "0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67",
  "PairCreated(address,address,address,uint256)": "0x0d3648bd0f6ba80134a33ba9275ac585d9d315f0ad8355cddefde31afa28d0e9",
  "PoolCreated(address,address,uint24,int24,address)":
    "0x783cca1c0412dd0d695e784568c96da2e9c22ff989357a2e8b1d9b2b4e6b7118",
  "ProxyCreation(address,address)": "0x4f51faf6c4561ff95f067657e43439f0f856d97c04d9ec9070a6199ad418e235",
  "Deployed(address,uint256)": "0xb03c53b28e78a88e31607a27e1fa48234dce28d5d9d9ec7b295aeb02e674a1e1",
  "ContractCreation(address,bytes32)": "0xb8fda7e00c6b06a2b54e58521bc5894fee35f1090e5a3bb6390bfe2b98b497f7",
  "ContractCreation(address)": "0x4db17dd5e4732fb6da34a148104a592783ca119a1e7bb8829eba6cbadef0b511",
  "AccountDeployed(bytes32,address,address,address)":
    "0xd51a9c61267aa6196961883ecf5ff2da6619c37dac0fa92122513fb32c032d2d",
} as const
