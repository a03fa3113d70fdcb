// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

contract Child {
    address public immutable parent = msg.sender;
    uint256 public immutable number;

    event Born(address indexed parent, uint256 number);

    constructor(uint256 number_) payable {
        number = number_;
        emit Born(msg.sender, number_);
    }

    function depart(address payable to) external {
        require(msg.sender == parent, "Child: only the parent");
        selfdestruct(to);
    }
}

/// Contracts made by a contract, which no transaction names: by CREATE, by CREATE2, and one gone again at once.
contract ChildDeployer {
    uint256 public count;

    event ChildDeployed(address indexed child, bool salted);

    function deploy() external payable {
        emit ChildDeployed(address(new Child{value: msg.value}(++count)), false);
    }

    function deploySalted() external {
        count++;
        emit ChildDeployed(address(new Child{salt: bytes32(count)}(count)), true);
    }

    function deployAndLeave() external payable {
        Child child = new Child{value: msg.value}(++count);
        emit ChildDeployed(address(child), false);
        child.depart(payable(msg.sender));
    }
}
