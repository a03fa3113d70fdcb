// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import "./Token.sol";

/// Ether as an ERC-20. As in the original, wrapping emits Deposit and Withdrawal, and no Transfer.
contract WrappedEther is TokenBalances {
    string public constant name = "Wrapped Ether";
    string public constant symbol = "WETH";
    uint8 public constant decimals = 18;

    event Deposit(address indexed dst, uint256 wad);
    event Withdrawal(address indexed src, uint256 wad);

    receive() external payable {
        deposit();
    }

    function deposit() public payable {
        balanceOf[msg.sender] += msg.value;
        totalSupply += msg.value;
        emit Deposit(msg.sender, msg.value);
    }

    function withdraw(uint256 wad) external {
        uint256 balance = balanceOf[msg.sender];
        if (balance < wad) revert InsufficientBalance(msg.sender, balance, wad);
        balanceOf[msg.sender] = balance - wad;
        totalSupply -= wad;
        emit Withdrawal(msg.sender, wad);
        (bool sent, ) = msg.sender.call{value: wad}("");
        require(sent, "WETH: ether not accepted");
    }
}
